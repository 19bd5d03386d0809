import { Migration } from '@mikro-orm/migrations';

export class Migration20261127143328_repair_discounts extends Migration {

  override name = 'Migration20261127143328_repair_discounts';

  override up(): void | Promise<void> {
    this.addSql(`alter table "bill_fix" drop constraint "bill_fix_kind_check";`);
    this.addSql(`alter table "bill_fix" add "last_day" date null, add "unit" text null, add "agreement_id" uuid null;`);
    this.addSql(`update bill_fix set last_day = day;`);
    this.addSql(`alter table "bill_fix" alter column "last_day" set not null;`);
    this.addSql(`alter table "bill_fix" add constraint "bill_fix_kind_check" check ("kind" in ('ACCEPT', 'UNTRACK', 'RATE', 'DISCOUNT'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "bill_fix" drop constraint "bill_fix_kind_check";`);
    this.addSql(`alter table "bill_fix" drop column "last_day", drop column "unit", drop column "agreement_id";`);
    this.addSql(`alter table "bill_fix" add constraint "bill_fix_kind_check" check ("kind" in ('ACCEPT', 'UNTRACK', 'RATE'));`);
  }

}
