import { Migration } from '@mikro-orm/migrations';

export class Migration20261129235551_stated_readings extends Migration {

  override name = 'Migration20261129235551_stated_readings';

  override up(): void | Promise<void> {
    this.addSql(`create index "cost_entry_stated_index" on "cost_entry" ("organization_id", "event_time") where reading = 'stated';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "cost_entry_stated_index";`);
  }

}
