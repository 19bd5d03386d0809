import { Migration } from '@mikro-orm/migrations';

export class Migration20261128161735_exchange_differences_and_own_rates extends Migration {

  override name = 'Migration20261128161735_exchange_differences_and_own_rates';

  override up(): void | Promise<void> {
    this.addSql(`alter table "fx_rate" drop constraint "fx_rate_source_check";`);
    this.addSql(`alter table "fx_rate" add constraint "fx_rate_source_check" check ("source" in ('ecb', 'own'));`);

    this.addSql(`alter table "invoice_rate" drop constraint "invoice_rate_source_check";`);
    this.addSql(`alter table "invoice_rate" add constraint "invoice_rate_source_check" check ("source" in ('settlement', 'ecb', 'own'));`);

    this.addSql(`alter table "reduction" add "settled_currency" text null, add "settled_rate" numeric(30,20) null, add "settled_at" timestamptz(3) null;`);
    this.addSql(`create index "reduction_settled_index" on "reduction" ("organization_id", "settled_currency", "settled_at") where settled_at is not null;`);

    this.addSql(`create index "revenue_record_refund_index" on "revenue_record" ("organization_id", "source_id") where kind = 'refund';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "fx_rate" drop constraint "fx_rate_source_check";`);
    this.addSql(`alter table "fx_rate" add constraint "fx_rate_source_check" check ("source" in ('ecb'));`);

    this.addSql(`alter table "invoice_rate" drop constraint "invoice_rate_source_check";`);
    this.addSql(`alter table "invoice_rate" add constraint "invoice_rate_source_check" check ("source" in ('settlement', 'ecb'));`);

    this.addSql(`drop index "reduction_settled_index";`);
    this.addSql(`alter table "reduction" drop column "settled_currency", drop column "settled_rate", drop column "settled_at";`);

    this.addSql(`drop index "revenue_record_refund_index";`);
  }

}
