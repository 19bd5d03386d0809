import { Migration } from '@mikro-orm/migrations';

export class Migration20261122025856_verification extends Migration {

  override name = 'Migration20261122025856_verification';

  override up(): void | Promise<void> {
    this.addSql(`create table "book_difference" ("organization_id" uuid not null, "day" date not null, "what" text not null, "detail" text not null, "since" timestamptz(3) not null, "verified_at" timestamptz(3) not null, primary key ("organization_id", "day", "what"));`);

    this.addSql(`create table "book_state" ("organization_id" uuid not null, "verified_at" timestamptz(3) not null, "round_at" timestamptz(3) null, primary key ("organization_id"));`);

    this.addSql(`create table "changed_day" ("organization_id" uuid not null, "day" date not null, "since" timestamptz(3) not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "day"));`);
    this.addSql(`create index "changed_day_turn_index" on "changed_day" ("since");`);

    this.addSql(`create table "operation" ("organization_id" uuid not null, "id" uuid not null, "kind" text not null, "parameters" jsonb not null, "place" jsonb null, "done" bigint not null, "total" bigint null, "result" jsonb null, "state" text not null, "attempt" int not null, "last_error" text null, "next_step_at" timestamptz(3) not null, "lease_owner" uuid null, "lease_until" timestamptz(3) null, "started_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "operation_turn_index" on "operation" ("state", "next_step_at");`);

    this.addSql(`alter table "book_difference" enable row level security;`);
    this.addSql(`alter table "book_difference" force row level security;`);
    this.addSql(`create policy "organization" on "book_difference" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "book_difference" to "attribution_jobs" using (true) with check (true);`);

    this.addSql(`alter table "book_state" enable row level security;`);
    this.addSql(`alter table "book_state" force row level security;`);
    this.addSql(`create policy "organization" on "book_state" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "book_state" to "attribution_jobs" using (true) with check (true);`);

    this.addSql(`alter table "changed_day" enable row level security;`);
    this.addSql(`alter table "changed_day" force row level security;`);
    this.addSql(`create policy "organization" on "changed_day" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "changed_day" to "attribution_jobs" using (true) with check (true);`);

    this.addSql(`alter table "operation" add constraint "operation_state_check" check ("state" in ('running', 'cancelled', 'failed', 'finished'));`);
    this.addSql(`alter table "operation" enable row level security;`);
    this.addSql(`alter table "operation" force row level security;`);
    this.addSql(`create policy "organization" on "operation" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "operation" to "attribution_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "book_difference" cascade;`);
    this.addSql(`drop table if exists "book_state" cascade;`);
    this.addSql(`drop table if exists "changed_day" cascade;`);
    this.addSql(`drop table if exists "operation" cascade;`);
  }

}
