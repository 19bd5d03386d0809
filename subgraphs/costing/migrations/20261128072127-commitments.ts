import { Migration } from '@mikro-orm/migrations';

export class Migration20261128072127_commitments extends Migration {

  override name = 'Migration20261128072127_commitments';

  override up(): void | Promise<void> {
    this.addSql(`create table "commitment" ("organization_id" uuid not null, "id" uuid not null, "name" text not null, "provider_slug" text not null, "models" text[] null, "amount" numeric(30,15) not null, "period_length" text not null, "from_day" date not null, "until_day" date null, "revision" int not null, "computed_revision" int not null, "is_removed" boolean not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "commitment_day" ("organization_id" uuid not null, "commitment_id" uuid not null, "day" date not null, "provider_slug" text not null, "models" text[] null, "spent" numeric(30,15) not null, "ledger_events" bigint not null, "ledger_cost" numeric(40,15) not null, "ledger_quantity" numeric(40,0) not null, "is_computed" boolean not null, "read_at" timestamptz(3) not null, primary key ("organization_id", "commitment_id", "day"));`);

    this.addSql(`create table "commitment_entry" ("organization_id" uuid not null, "commitment_id" uuid not null, "day" date not null, "revision" int not null, "cause" text not null, "booked_day" date not null, "amount" numeric(30,15) not null, "recorded_at" timestamptz(6) not null default now(), primary key ("organization_id", "commitment_id", "day", "revision", "cause"));`);
    this.addSql(`create index "commitment_entry_booked_index" on "commitment_entry" ("organization_id", "booked_day");`);

    this.addSql(`alter table "commitment" add constraint "commitment_period_length_check" check ("period_length" in ('month', 'quarter', 'year', 'term'));`);
    this.addSql(`alter table "commitment" enable row level security;`);
    this.addSql(`alter table "commitment" force row level security;`);
    this.addSql(`create policy "organization" on "commitment" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "commitment" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "commitment_day" enable row level security;`);
    this.addSql(`alter table "commitment_day" force row level security;`);
    this.addSql(`create policy "organization" on "commitment_day" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "commitment_day" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "commitment_entry" add constraint "commitment_entry_cause_check" check ("cause" in ('spend', 'shortfall'));`);
    this.addSql(`alter table "commitment_entry" enable row level security;`);
    this.addSql(`alter table "commitment_entry" force row level security;`);
    this.addSql(`create policy "organization" on "commitment_entry" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "commitment_entry" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "commitment" cascade;`);
    this.addSql(`drop table if exists "commitment_day" cascade;`);
    this.addSql(`drop table if exists "commitment_entry" cascade;`);
  }

}
