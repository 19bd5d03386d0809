import { Migration } from '@mikro-orm/migrations';

export class Migration20261128032301_adjustments extends Migration {

  override name = 'Migration20261128032301_adjustments';

  override up(): void | Promise<void> {
    this.addSql(`alter table "bill_fix" drop constraint "bill_fix_kind_check";`);
    this.addSql(`alter table "bill_fix" add constraint "bill_fix_kind_check" check ("kind" in ('ACCEPT', 'UNTRACK', 'RATE', 'DISCOUNT', 'ADJUST'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "bill_fix" drop constraint "bill_fix_kind_check";`);
    this.addSql(`alter table "bill_fix" add constraint "bill_fix_kind_check" check ("kind" in ('ACCEPT', 'UNTRACK', 'RATE', 'DISCOUNT'));`);
  }

}
