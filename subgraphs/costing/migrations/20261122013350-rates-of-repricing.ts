import { Migration } from '@mikro-orm/migrations';

export class Migration20261122013350_rates_of_repricing extends Migration {

  override name = 'Migration20261122013350_rates_of_repricing';

  override up(): void | Promise<void> {
    this.addSql(`alter table "repricing" add "rate_generation" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "repricing" drop column "rate_generation";`);
  }

}
