import { Migration } from '@mikro-orm/migrations';

export class Migration20261122115522_booked_costs extends Migration {

  override name = 'Migration20261122115522_booked_costs';

  override up(): void | Promise<void> {
    this.addSql(`alter table "attribute_mapping" add "booked_costs" text[] not null default '{}';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "attribute_mapping" drop column "booked_costs";`);
  }

}
