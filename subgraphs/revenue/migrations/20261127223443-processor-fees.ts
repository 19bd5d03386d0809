import { Migration } from '@mikro-orm/migrations';

export class Migration20261127223443_processor_fees extends Migration {

  override name = 'Migration20261127223443_processor_fees';

  override up(): void | Promise<void> {
    this.addSql(`alter table "charge" add "customer_id" text null, add "charged_at" timestamptz(3) null, add "fee_minor" bigint null, add "fee_currency" text null;`);
    this.addSql(`create index "charge_time_index" on "charge" ("organization_id", "charged_at");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "charge_time_index";`);
    this.addSql(`alter table "charge" drop column "customer_id", drop column "charged_at", drop column "fee_minor", drop column "fee_currency";`);
  }

}
