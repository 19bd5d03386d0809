import { Migration } from '@mikro-orm/migrations';

export class Migration20261121101722_create_tables extends Migration {

  override name = 'Migration20261121101722_create_tables';

  override up(): void | Promise<void> {
    this.addSql(`create table "cost_fact" ("organization_id" uuid not null, "event_id" uuid not null, "sequence" int not null, "event_time" timestamptz(6) not null, "end_user_id" uuid null, "model_slug" text not null, "provider_id" text not null, "provider_slug" text not null, "provider_name" text not null, "input_tokens" bigint not null, "output_tokens" bigint not null, "cache_creation_input_tokens" bigint null, "cache_read_input_tokens" bigint null, "reasoning_tokens" bigint null, "total_cost" numeric(30,15) not null, "input_cost" numeric(30,15) not null, "output_cost" numeric(30,15) not null, "cache_creation_cost" numeric(30,15) null, "cache_read_cost" numeric(30,15) null, "reasoning_cost" numeric(30,15) null, "dimensions" jsonb not null, "session_id" text null, "span_id" text null, "parent_span_id" text null, "arrival" bigint not null, primary key ("organization_id", "event_id", "sequence"));`);
    this.addSql(`create index "cost_fact_time_index" on "cost_fact" ("organization_id", "event_time");`);
    this.addSql(`create index "cost_fact_end_user_index" on "cost_fact" ("organization_id", "end_user_id", "event_time");`);
    this.addSql(`create index "cost_fact_session_index" on "cost_fact" ("organization_id", "session_id") where session_id is not null;`);

    this.addSql(`create table "dimension" ("organization_id" uuid not null, "key" text not null, "label" text not null, "registered_at" timestamptz(3) not null, "retired_at" timestamptz(3) null, primary key ("organization_id", "key"));`);

    this.addSql(`create table "end_user" ("organization_id" uuid not null, "id" uuid not null, "external_id" text not null, "first_seen_at" timestamptz(6) not null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "end_user_day" ("organization_id" uuid not null, "bucket" timestamptz(0) not null, "end_user_id" uuid not null, "total_cost" numeric not null, "event_count" bigint not null, primary key ("organization_id", "bucket", "end_user_id"));`);

    this.addSql(`create table "end_user_month" ("organization_id" uuid not null, "bucket" timestamptz(0) not null, "end_user_id" uuid not null, "total_cost" numeric not null, "event_count" bigint not null, primary key ("organization_id", "bucket", "end_user_id"));`);

    this.addSql(`create table "feed_position" ("follower" text not null, "position" jsonb null, "arrival" bigint not null, "batches_behind" bigint not null, primary key ("follower"));`);

    this.addSql(`create table "rolled_key" ("organization_id" uuid not null, "key" text not null, "state" text not null, "boundary" bigint null, "cursor_time" timestamptz(6) null, "cursor_event_id" uuid null, "cursor_sequence" int null, "unswept" boolean not null, primary key ("organization_id", "key"));`);
    this.addSql(`create index "rolled_key_work_index" on "rolled_key" ("state", "unswept");`);

    this.addSql(`create table "rollup_day" ("organization_id" uuid not null, "dimension_key" text not null, "bucket" timestamptz(0) not null, "dimension_value" text not null, "input_tokens" numeric not null, "output_tokens" numeric not null, "cache_creation_input_tokens" numeric null, "cache_read_input_tokens" numeric null, "reasoning_tokens" numeric null, "total_cost" numeric not null, "input_cost" numeric not null, "output_cost" numeric not null, "cache_creation_cost" numeric null, "cache_read_cost" numeric null, "reasoning_cost" numeric null, "event_count" bigint not null, primary key ("organization_id", "dimension_key", "bucket", "dimension_value"));`);

    this.addSql(`create table "rollup_hour" ("organization_id" uuid not null, "dimension_key" text not null, "bucket" timestamptz(0) not null, "dimension_value" text not null, "input_tokens" numeric not null, "output_tokens" numeric not null, "cache_creation_input_tokens" numeric null, "cache_read_input_tokens" numeric null, "reasoning_tokens" numeric null, "total_cost" numeric not null, "input_cost" numeric not null, "output_cost" numeric not null, "cache_creation_cost" numeric null, "cache_read_cost" numeric null, "reasoning_cost" numeric null, "event_count" bigint not null, primary key ("organization_id", "dimension_key", "bucket", "dimension_value"));`);

    this.addSql(`alter table "cost_fact" enable row level security;`);
    this.addSql(`alter table "cost_fact" force row level security;`);
    this.addSql(`create policy "organization" on "cost_fact" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "cost_fact" to "attribution_jobs" using (true) with check (true);`);

    this.addSql(`alter table "dimension" enable row level security;`);
    this.addSql(`alter table "dimension" force row level security;`);
    this.addSql(`create policy "organization" on "dimension" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "dimension" to "attribution_jobs" using (true) with check (true);`);

    this.addSql(`alter table "end_user" enable row level security;`);
    this.addSql(`alter table "end_user" force row level security;`);
    this.addSql(`create policy "organization" on "end_user" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "end_user" to "attribution_jobs" using (true) with check (true);`);

    this.addSql(`alter table "end_user_day" enable row level security;`);
    this.addSql(`alter table "end_user_day" force row level security;`);
    this.addSql(`create policy "organization" on "end_user_day" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "end_user_day" to "attribution_jobs" using (true) with check (true);`);

    this.addSql(`alter table "end_user_month" enable row level security;`);
    this.addSql(`alter table "end_user_month" force row level security;`);
    this.addSql(`create policy "organization" on "end_user_month" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "end_user_month" to "attribution_jobs" using (true) with check (true);`);

    this.addSql(`alter table "rolled_key" add constraint "rolled_key_state_check" check ("state" in ('clearing', 'backfilling', 'ready', 'unbounded', 'retired'));`);
    this.addSql(`alter table "rolled_key" enable row level security;`);
    this.addSql(`alter table "rolled_key" force row level security;`);
    this.addSql(`create policy "organization" on "rolled_key" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "rolled_key" to "attribution_jobs" using (true) with check (true);`);

    this.addSql(`alter table "rollup_day" enable row level security;`);
    this.addSql(`alter table "rollup_day" force row level security;`);
    this.addSql(`create policy "organization" on "rollup_day" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "rollup_day" to "attribution_jobs" using (true) with check (true);`);

    this.addSql(`alter table "rollup_hour" enable row level security;`);
    this.addSql(`alter table "rollup_hour" force row level security;`);
    this.addSql(`create policy "organization" on "rollup_hour" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "rollup_hour" to "attribution_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "cost_fact" cascade;`);
    this.addSql(`drop table if exists "dimension" cascade;`);
    this.addSql(`drop table if exists "end_user" cascade;`);
    this.addSql(`drop table if exists "end_user_day" cascade;`);
    this.addSql(`drop table if exists "end_user_month" cascade;`);
    this.addSql(`drop table if exists "feed_position" cascade;`);
    this.addSql(`drop table if exists "rolled_key" cascade;`);
    this.addSql(`drop table if exists "rollup_day" cascade;`);
    this.addSql(`drop table if exists "rollup_hour" cascade;`);
  }

}
