import { Migration } from '@mikro-orm/migrations';

export class Migration20261121131218_provider_reported extends Migration {

  override name = 'Migration20261121131218_provider_reported';

  override up(): void | Promise<void> {
    this.addSql(`alter table "cost_fact" add "provider_reported" boolean null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "cost_fact" drop column "provider_reported";`);
  }

}
