import { Migration } from '@mikro-orm/migrations';

export class Migration20261128033500_provider_credits extends Migration {

  override name = 'Migration20261128033500_provider_credits';

  override up(): void | Promise<void> {
    this.addSql(`create table "provider_credit" ("organization_id" uuid not null, "id" uuid not null, "name" text not null, "provider_slug" text not null, "models" text[] null, "classes" text[] null, "amount" numeric(30,15) not null, "from_day" date not null, "until_day" date null, "burn_order" int null, "revision" int not null, "burnt_revision" int not null, "is_removed" boolean not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "provider_credit_day" ("organization_id" uuid not null, "day" date not null, "providers" text[] not null, "costs" jsonb not null, "ledger_events" bigint not null, "ledger_cost" numeric(40,15) not null, "ledger_quantity" numeric(40,0) not null, "is_burnt" boolean not null, "read_at" timestamptz(3) not null, primary key ("organization_id", "day"));`);

    this.addSql(`create table "provider_credit_entry" ("organization_id" uuid not null, "credit_id" uuid not null, "day" date not null, "revision" int not null, "cause" text not null, "booked_day" date not null, "amount" numeric(30,15) not null, "recorded_at" timestamptz(6) not null default now(), primary key ("organization_id", "credit_id", "day", "revision", "cause"));`);
    this.addSql(`create index "provider_credit_entry_booked_index" on "provider_credit_entry" ("organization_id", "booked_day");`);

    this.addSql(`alter table "provider_credit" enable row level security;`);
    this.addSql(`alter table "provider_credit" force row level security;`);
    this.addSql(`create policy "organization" on "provider_credit" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "provider_credit" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "provider_credit_day" enable row level security;`);
    this.addSql(`alter table "provider_credit_day" force row level security;`);
    this.addSql(`create policy "organization" on "provider_credit_day" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "provider_credit_day" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "provider_credit_entry" add constraint "provider_credit_entry_cause_check" check ("cause" in ('burn', 'expiry'));`);
    this.addSql(`alter table "provider_credit_entry" enable row level security;`);
    this.addSql(`alter table "provider_credit_entry" force row level security;`);
    this.addSql(`create policy "organization" on "provider_credit_entry" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "provider_credit_entry" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "provider_credit" cascade;`);
    this.addSql(`drop table if exists "provider_credit_day" cascade;`);
    this.addSql(`drop table if exists "provider_credit_entry" cascade;`);
  }

}
