import { Migration } from '@mikro-orm/migrations';

export class Migration20261127215211_fixed_costs extends Migration {

  override name = 'Migration20261127215211_fixed_costs';

  override up(): void | Promise<void> {
    this.addSql(`create table "allocation_day" ("organization_id" uuid not null, "fixed_cost_id" uuid not null, "day" date not null, "revision" int not null, "amount" numeric(30,15) not null, "used" numeric(30,15) not null, "idle" numeric(30,15) not null, "driver_total" numeric(40,15) null, "capacity" numeric(40,15) null, "model_cost" numeric(40,15) not null, "terms_revision" int not null, "ledger_events" bigint not null, "ledger_cost" numeric(40,15) not null, "ledger_quantity" numeric(40,0) not null, "allocated_at" timestamptz(3) not null, primary key ("organization_id", "fixed_cost_id", "day"));`);

    this.addSql(`create table "allocation_entry" ("organization_id" uuid not null, "fixed_cost_id" uuid not null, "day" date not null, "revision" int not null, "carrier" text not null, "external_id" text not null, "booked_day" date not null, "measure" numeric(40,15) not null, "amount" numeric(30,15) not null, "recorded_at" timestamptz(6) not null default now(), primary key ("organization_id", "fixed_cost_id", "day", "revision", "carrier", "external_id"));`);
    this.addSql(`create index "allocation_entry_booked_index" on "allocation_entry" ("organization_id", "booked_day");`);
    this.addSql(`create index "allocation_entry_end_user_index" on "allocation_entry" ("organization_id", "external_id", "booked_day");`);

    this.addSql(`create table "fixed_cost" ("organization_id" uuid not null, "id" uuid not null, "key" text not null, "name" text not null, "provider" text null, "driver" text not null, "unit" text null, "capacity" numeric(30,15) null, "weights" jsonb not null, "scope" jsonb not null, "shares" jsonb not null, "revision" int not null, "erasures" int not null default 0, "changed_at" timestamptz(3) not null, primary key ("organization_id", "id"));`);
    this.addSql(`alter table "fixed_cost" add constraint "fixed_cost_key_unique" unique ("organization_id", "key");`);

    this.addSql(`create table "fixed_cost_period" ("organization_id" uuid not null, "fixed_cost_id" uuid not null, "from_day" date not null, "until_day" date null, "amount" numeric(30,15) not null, "per" text not null, "quantity" numeric(30,15) not null, primary key ("organization_id", "fixed_cost_id", "from_day"));`);

    this.addSql(`alter table "allocation_day" enable row level security;`);
    this.addSql(`alter table "allocation_day" force row level security;`);
    this.addSql(`create policy "organization" on "allocation_day" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "allocation_day" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "allocation_entry" add constraint "allocation_entry_carrier_check" check ("carrier" in ('end_user', 'unassigned', 'idle', 'unallocated'));`);
    this.addSql(`alter table "allocation_entry" enable row level security;`);
    this.addSql(`alter table "allocation_entry" force row level security;`);
    this.addSql(`create policy "organization" on "allocation_entry" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "allocation_entry" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "fixed_cost" add constraint "fixed_cost_driver_check" check ("driver" in ('tokens', 'events', 'cost', 'units', 'equal', 'shares', 'none'));`);
    this.addSql(`alter table "fixed_cost" enable row level security;`);
    this.addSql(`alter table "fixed_cost" force row level security;`);
    this.addSql(`create policy "organization" on "fixed_cost" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "fixed_cost" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "fixed_cost_period" add constraint "fixed_cost_period_per_check" check ("per" in ('hour', 'day', 'month', 'period'));`);
    this.addSql(`alter table "fixed_cost_period" enable row level security;`);
    this.addSql(`alter table "fixed_cost_period" force row level security;`);
    this.addSql(`create policy "organization" on "fixed_cost_period" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "fixed_cost_period" to "costing_jobs" using (true) with check (true);`);

    // Entities cannot express it: a fixed cost has one price at a time.
    this.addSql(`alter table "fixed_cost_period" add constraint "fixed_cost_period_no_overlap"
      exclude using gist (organization_id with =, fixed_cost_id with =, daterange(from_day, until_day) with &&);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "allocation_day" cascade;`);
    this.addSql(`drop table if exists "allocation_entry" cascade;`);
    this.addSql(`drop table if exists "fixed_cost" cascade;`);
    this.addSql(`drop table if exists "fixed_cost_period" cascade;`);
  }

}
