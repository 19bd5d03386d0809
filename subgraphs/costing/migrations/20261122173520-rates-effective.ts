import { Migration } from '@mikro-orm/migrations';

export class Migration20261122173520_rates_effective extends Migration {

  override name = 'Migration20261122173520_rates_effective';

  override up(): void | Promise<void> {
    this.addSql(`create index "rate_card_version_effective_index" on "rate_card_version" ("organization_id", "effective_from") where effective_from is not null and superseded_at is null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "rate_card_version_effective_index";`);
  }

}
