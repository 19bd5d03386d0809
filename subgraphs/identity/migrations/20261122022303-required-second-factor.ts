import { Migration } from '@mikro-orm/migrations';

export class Migration20261122022303_required_second_factor extends Migration {

  override name = 'Migration20261122022303_required_second_factor';

  override up(): void | Promise<void> {
    this.addSql(`alter table "organization" add "second_factor_required_at" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "organization" drop column "second_factor_required_at";`);
  }

}
