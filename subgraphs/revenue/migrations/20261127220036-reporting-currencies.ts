import { Migration } from '@mikro-orm/migrations';

export class Migration20261127220036_reporting_currencies extends Migration {

  override name = 'Migration20261127220036_reporting_currencies';

  override up(): void | Promise<void> {
    this.addSql(`create table "closed_rates" ("organization_id" uuid not null, "closed_until" timestamptz(3) not null, "known_at" timestamptz(3) not null, primary key ("organization_id", "closed_until"));`);

    this.addSql(`create table "conversion_queue" ("organization_id" uuid not null, "after_invoice" text not null, primary key ("organization_id"));`);

    this.addSql(`create table "converted_entry" ("organization_id" uuid not null, "line_id" text not null, "sequence" int not null, "currency" text not null, "amount" numeric(30,15) not null, primary key ("organization_id", "line_id", "sequence", "currency"));`);

    this.addSql(`create table "invoice_rate" ("organization_id" uuid not null, "invoice_id" text not null, "from_currency" text not null, "to_currency" text not null, "rate" numeric(30,20) not null, "rate_day" date not null, "source" text not null, "fixed_at" timestamptz(3) not null, primary key ("organization_id", "invoice_id", "from_currency", "to_currency"));`);

    this.addSql(`create table "organization_currency" ("organization_id" uuid not null, "from_month" date not null, "currency" text not null, primary key ("organization_id", "from_month"));`);

    this.addSql(`alter table "charge" add "settled_currency" text null, add "settled_rate" numeric(30,20) null, add "settled_at" timestamptz(3) null;`);

    this.addSql(`alter table "invoice" add "issued_at" timestamptz(3) null;`);

    this.addSql(`alter table "closed_rates" enable row level security;`);
    this.addSql(`alter table "closed_rates" force row level security;`);
    this.addSql(`create policy "organization" on "closed_rates" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "closed_rates" to "revenue_jobs" using (true) with check (true);`);

    this.addSql(`alter table "conversion_queue" enable row level security;`);
    this.addSql(`alter table "conversion_queue" force row level security;`);
    this.addSql(`create policy "organization" on "conversion_queue" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "conversion_queue" to "revenue_jobs" using (true) with check (true);`);

    this.addSql(`alter table "converted_entry" enable row level security;`);
    this.addSql(`alter table "converted_entry" force row level security;`);
    this.addSql(`create policy "organization" on "converted_entry" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "converted_entry" to "revenue_jobs" using (true) with check (true);`);

    this.addSql(`alter table "invoice_rate" add constraint "invoice_rate_positive" check (rate > 0);`);
    this.addSql(`alter table "invoice_rate" add constraint "invoice_rate_source_check" check ("source" in ('settlement', 'ecb'));`);
    this.addSql(`alter table "invoice_rate" enable row level security;`);
    this.addSql(`alter table "invoice_rate" force row level security;`);
    this.addSql(`create policy "organization" on "invoice_rate" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "invoice_rate" to "revenue_jobs" using (true) with check (true);`);

    this.addSql(`alter table "organization_currency" enable row level security;`);
    this.addSql(`alter table "organization_currency" force row level security;`);
    this.addSql(`create policy "organization" on "organization_currency" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "organization_currency" to "revenue_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "closed_rates" cascade;`);
    this.addSql(`drop table if exists "conversion_queue" cascade;`);
    this.addSql(`drop table if exists "converted_entry" cascade;`);
    this.addSql(`drop table if exists "invoice_rate" cascade;`);
    this.addSql(`drop table if exists "organization_currency" cascade;`);

    this.addSql(`alter table "charge" drop column "settled_currency", drop column "settled_rate", drop column "settled_at";`);

    this.addSql(`alter table "invoice" drop column "issued_at";`);
  }

}
