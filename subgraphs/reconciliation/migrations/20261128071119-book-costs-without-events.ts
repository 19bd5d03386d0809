import { Migration } from '@mikro-orm/migrations';

export class Migration20261128071119_book_costs_without_events extends Migration {

  override name = 'Migration20261128071119_book_costs_without_events';

  override up(): void | Promise<void> {
    this.addSql(`alter table "bill_fix" add "cause" text null;`);
    this.addSql(`alter table "bill_fix" add constraint "bill_fix_cause_check" check ("cause" in ('NOT_TRACKED'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "bill_fix" drop constraint "bill_fix_cause_check";`);
    this.addSql(`alter table "bill_fix" drop column "cause";`);
  }

}
