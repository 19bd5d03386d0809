import { Migration } from '@mikro-orm/migrations';

export class Migration20261126203632_charges_and_bounds extends Migration {

  override name = 'Migration20261126203632_charges_and_bounds';

  override up(): void | Promise<void> {
    this.addSql(`create table "charge" ("organization_id" uuid not null, "id" text not null, "payment_intent_id" text null, "captured_minor" bigint not null, "not_revenue_minor" bigint null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "charge_payment_intent_index" on "charge" ("organization_id", "payment_intent_id");`);

    this.addSql(`alter table "invoice" add "is_charge" boolean not null default false, add "overpaid_minor" bigint not null default '0', add "remaining_minor" bigint not null default '0', add "received_minor" bigint not null default '0', add "balance_minor" bigint not null default '0', add "given_credit_minor" bigint null, add "period_start" timestamptz(3) null, add "period_end" timestamptz(3) null;`);
    this.addSql(`alter table "invoice" rename column "tax_minor" to "not_revenue_minor";`);
    this.addSql(`create index "invoice_uncounted_index" on "invoice" ("organization_id", "period_start") where status = 'open' or balance_minor > 0 or is_charge and customer_id is null;`);

    this.addSql(`alter table "reduction" add "out_of_band_minor" bigint not null default '0';`);

    this.addSql(`alter table "set_aside_object" drop constraint "set_aside_object_kind_check";`);
    this.addSql(`alter table "set_aside_object" add constraint "set_aside_object_kind_check" check ("kind" in ('event', 'customer', 'subscription', 'invoice', 'charge', 'credit_note', 'refund', 'dispute'));`);

    this.addSql(`alter table "charge" enable row level security;`);
    this.addSql(`alter table "charge" force row level security;`);
    this.addSql(`create policy "organization" on "charge" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "charge" to "revenue_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "charge" cascade;`);

    this.addSql(`drop index "invoice_uncounted_index";`);
    this.addSql(`alter table "invoice" drop column "is_charge", drop column "overpaid_minor", drop column "remaining_minor", drop column "received_minor", drop column "balance_minor", drop column "given_credit_minor", drop column "period_start", drop column "period_end";`);
    this.addSql(`alter table "invoice" rename column "not_revenue_minor" to "tax_minor";`);

    this.addSql(`alter table "reduction" drop column "out_of_band_minor";`);

    this.addSql(`alter table "set_aside_object" drop constraint "set_aside_object_kind_check";`);
    this.addSql(`alter table "set_aside_object" add constraint "set_aside_object_kind_check" check ("kind" in ('event', 'customer', 'subscription', 'invoice', 'credit_note', 'refund', 'dispute'));`);
  }

}
