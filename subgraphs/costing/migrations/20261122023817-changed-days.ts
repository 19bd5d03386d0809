import { Migration } from '@mikro-orm/migrations';

export class Migration20261122023817_changed_days extends Migration {

  override name = 'Migration20261122023817_changed_days';

  override up(): void | Promise<void> {
    this.addSql(`create index "cost_entry_xid_index" on "cost_entry" ("xid");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "cost_entry_xid_index";`);
  }

}
