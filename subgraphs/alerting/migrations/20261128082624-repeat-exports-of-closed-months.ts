import { Migration } from '@mikro-orm/migrations';

export class Migration20261128082624_repeat_exports_of_closed_months extends Migration {

  override name = 'Migration20261128082624_repeat_exports_of_closed_months';

  override up(): void | Promise<void> {
    this.addSql(`alter table "export_schedule" add "closings_checked_at" timestamptz(3) null, add "costs_open_from" text null, add "revenue_open_from" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "export_schedule" drop column "closings_checked_at", drop column "costs_open_from", drop column "revenue_open_from";`);
  }

}
