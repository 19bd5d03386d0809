import { Migration } from '@mikro-orm/migrations';

/** The whole schema of version 1.0. `earlier-migrations.sql` leads older databases to the same schema. */
export class Migration20261129061000_version_1 extends Migration {

  override name = 'Migration20261129061000_version_1';

  override up(): void | Promise<void> {
    this.addSql(`create table "audit_record" ("organization_id" uuid not null, "id" uuid not null, "at" timestamptz(3) not null, "act" text not null, "actor_kind" text not null, "account_user_id" uuid null, "credential_id" uuid null, "subject_id" text null, "detail" text null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "book_difference" ("organization_id" uuid not null, "day" date not null, "what" text not null, "detail" text not null, "since" timestamptz(3) not null, "verified_at" timestamptz(3) not null, primary key ("organization_id", "day", "what"));`);

    this.addSql(`create table "book_state" ("organization_id" uuid not null, "verified_at" timestamptz(3) not null, "round_at" timestamptz(3) null, primary key ("organization_id"));`);

    this.addSql(`create table "changed_day" ("organization_id" uuid not null, "day" date not null, "since" timestamptz(3) not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "day"));`);
    this.addSql(`create index "changed_day_turn_index" on "changed_day" ("since");`);

    this.addSql(`create table "charge_day" ("organization_id" uuid not null, "bucket" timestamptz(0) not null, "provider" text not null, "model" text not null, "context" text not null, "charge_class" text not null, "unit" text not null, "quantity" numeric not null, "list_amount" numeric not null, "amount" numeric not null, "corrections" numeric not null, "event_count" bigint not null, "agreement" text not null, primary key ("organization_id", "bucket", "provider", "model", "context", "charge_class", "unit", "agreement"));`);

    this.addSql(`create table "cost_fact" ("organization_id" uuid not null, "event_id" uuid not null, "sequence" int not null, "event_time" timestamptz(6) not null, "end_user_id" uuid null, "model_slug" text not null, "provider_id" text not null, "provider_slug" text not null, "provider_name" text not null, "input_tokens" bigint not null, "output_tokens" bigint not null, "cache_creation_input_tokens" bigint null, "cache_read_input_tokens" bigint null, "reasoning_tokens" bigint null, "total_cost" numeric(30,15) not null, "input_cost" numeric(30,15) not null, "output_cost" numeric(30,15) not null, "cache_creation_cost" numeric(30,15) null, "cache_read_cost" numeric(30,15) null, "reasoning_cost" numeric(30,15) null, "dimensions" jsonb not null, "session_id" text null, "span_id" text null, "parent_span_id" text null, "arrival" bigint not null, "provider_reported" boolean null, "charges" jsonb null, primary key ("organization_id", "event_id", "sequence"));`);
    this.addSql(`create index "cost_fact_time_index" on "cost_fact" ("organization_id", "event_time");`);
    this.addSql(`create index "cost_fact_end_user_index" on "cost_fact" ("organization_id", "end_user_id", "event_time");`);
    this.addSql(`create index "cost_fact_session_index" on "cost_fact" ("organization_id", "session_id") where session_id is not null;`);
    this.addSql(`create index cost_fact_task_index on cost_fact (organization_id, (dimensions ->> 'task_id'))
  where (dimensions ->> 'task_id') is not null;`);
    this.addSql(`create index "cost_fact_arrival_index" on "cost_fact" ("organization_id", "arrival");`);

    this.addSql(`create table "dimension" ("organization_id" uuid not null, "key" text not null, "label" text not null, "registered_at" timestamptz(3) not null, "retired_at" timestamptz(3) null, primary key ("organization_id", "key"));`);

    this.addSql(`create table "end_user" ("organization_id" uuid not null, "id" uuid not null, "external_id" text not null, "first_seen_at" timestamptz(6) not null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "end_user_day" ("organization_id" uuid not null, "bucket" timestamptz(0) not null, "end_user_id" uuid not null, "total_cost" numeric not null, "event_count" bigint not null, primary key ("organization_id", "bucket", "end_user_id"));`);

    this.addSql(`create table "end_user_model_day" ("organization_id" uuid not null, "end_user_id" uuid not null, "bucket" timestamptz(0) not null, "provider_slug" text not null, "model_slug" text not null, "input_tokens" numeric not null, "output_tokens" numeric not null, "cache_creation_input_tokens" numeric null, "cache_read_input_tokens" numeric null, "reasoning_tokens" numeric null, "total_cost" numeric not null, "input_cost" numeric not null, "output_cost" numeric not null, "cache_creation_cost" numeric null, "cache_read_cost" numeric null, "reasoning_cost" numeric null, "event_count" bigint not null, primary key ("organization_id", "end_user_id", "bucket", "provider_slug", "model_slug"));`);

    this.addSql(`create table "end_user_month" ("organization_id" uuid not null, "bucket" timestamptz(0) not null, "end_user_id" uuid not null, "total_cost" numeric not null, "event_count" bigint not null, primary key ("organization_id", "bucket", "end_user_id"));`);

    this.addSql(`create table "feed_place" ("organization_id" uuid not null, "number" bigint not null, "token" uuid null, "taken" int not null, "evidence_number" bigint null, "evidence_token" uuid null, "head" bigint not null, "arrival" bigint not null, "replay" jsonb null, primary key ("organization_id"));`);
    this.addSql(`create index "feed_place_replay_index" on "feed_place" ("organization_id") where replay is not null;`);

    this.addSql(`create table "large_end_user" ("organization_id" uuid not null, "end_user_id" uuid not null, "summed_from" date not null, primary key ("organization_id", "end_user_id"));`);
    this.addSql(`create index "large_end_user_unfinished_index" on "large_end_user" ("organization_id") where summed_from > '-infinity';`);

    this.addSql(`create table "operation" ("organization_id" uuid not null, "id" uuid not null, "kind" text not null, "parameters" jsonb not null, "place" jsonb null, "done" bigint not null, "total" bigint null, "result" jsonb null, "state" text not null, "attempt" int not null, "last_error" text null, "next_step_at" timestamptz(3) not null, "lease_owner" uuid null, "lease_until" timestamptz(3) null, "started_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "operation_turn_index" on "operation" ("state", "next_step_at");`);
    this.addSql(`alter table "operation" add constraint "operation_state_check" check ("state" in ('running', 'cancelled', 'failed', 'finished'));`);

    this.addSql(`create table "organization_home" ("organization_id" uuid not null, primary key ("organization_id"));`);

    this.addSql(`create table "outcome" ("organization_id" uuid not null, "livemode" boolean not null, "key" text not null, "name" text not null, "succeeded" boolean not null, "at" timestamptz(6) not null, "end_user" text null, "agent" text null, "session" text null, "task" text null, "value" numeric(30,15) null, "currency" text null, "metadata" jsonb not null, "stated_at" timestamptz(6) not null, "fingerprint" text not null, "versions" int not null, "kept_events" int not null, primary key ("organization_id", "livemode", "key"));`);
    this.addSql(`create index "outcome_time_index" on "outcome" ("organization_id", "at") where livemode;`);
    this.addSql(`create index "outcome_task_index" on "outcome" ("organization_id", "task", "at", "key") where livemode and task is not null;`);
    this.addSql(`create index "outcome_session_index" on "outcome" ("organization_id", "session", "at", "key") where livemode and task is null and session is not null;`);
    this.addSql(`create index "outcome_end_user_index" on "outcome" ("organization_id", "end_user") where end_user is not null;`);

    this.addSql(`create table "outcome_event" ("organization_id" uuid not null, "event_id" uuid not null, "key" text not null, primary key ("organization_id", "event_id"));`);
    this.addSql(`create index "outcome_event_key_index" on "outcome_event" ("organization_id", "key");`);

    this.addSql(`create table "outcome_version" ("organization_id" uuid not null, "livemode" boolean not null, "key" text not null, "version" int not null, "name" text not null, "succeeded" boolean not null, "at" timestamptz(6) not null, "end_user" text null, "agent" text null, "session" text null, "task" text null, "value" numeric(30,15) null, "currency" text null, "metadata" jsonb not null, "stated_at" timestamptz(6) not null, "fingerprint" text not null, "recorded_at" timestamptz(6) not null, primary key ("organization_id", "livemode", "key", "version"));`);
    this.addSql(`create index "outcome_version_end_user_index" on "outcome_version" ("organization_id", "end_user") where end_user is not null;`);
    this.addSql(`create index "outcome_version_metadata_index" on "outcome_version" ("organization_id", "recorded_at") where metadata <> '{}';`);

    this.addSql(`create table "pending_day" ("organization_id" uuid not null, "day" date not null, "arrival" bigint not null, "facts" int not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "day"));`);

    this.addSql(`create table "refused_fact" ("organization_id" uuid not null, "id" text not null, "body" text not null, "reason" text not null, "refused_at" timestamptz(3) not null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "rolled_key" ("organization_id" uuid not null, "key" text not null, "state" text not null, "boundary" bigint null, "cursor_time" timestamptz(6) null, "cursor_event_id" uuid null, "cursor_sequence" int null, "unswept" boolean not null, primary key ("organization_id", "key"));`);
    this.addSql(`create index "rolled_key_work_index" on "rolled_key" ("state", "unswept");`);
    this.addSql(`alter table "rolled_key" add constraint "rolled_key_state_check" check ("state" in ('clearing', 'backfilling', 'ready', 'unbounded', 'retired'));`);

    this.addSql(`create table "rollup_day" ("organization_id" uuid not null, "dimension_key" text not null, "bucket" timestamptz(0) not null, "dimension_value" text not null, "input_tokens" numeric not null, "output_tokens" numeric not null, "cache_creation_input_tokens" numeric null, "cache_read_input_tokens" numeric null, "reasoning_tokens" numeric null, "total_cost" numeric not null, "input_cost" numeric not null, "output_cost" numeric not null, "cache_creation_cost" numeric null, "cache_read_cost" numeric null, "reasoning_cost" numeric null, "event_count" bigint not null, primary key ("organization_id", "dimension_key", "bucket", "dimension_value"));`);

    this.addSql(`create table "rollup_hour" ("organization_id" uuid not null, "dimension_key" text not null, "bucket" timestamptz(0) not null, "dimension_value" text not null, "input_tokens" numeric not null, "output_tokens" numeric not null, "cache_creation_input_tokens" numeric null, "cache_read_input_tokens" numeric null, "reasoning_tokens" numeric null, "total_cost" numeric not null, "input_cost" numeric not null, "output_cost" numeric not null, "cache_creation_cost" numeric null, "cache_read_cost" numeric null, "reasoning_cost" numeric null, "event_count" bigint not null, primary key ("organization_id", "dimension_key", "bucket", "dimension_value"));`);

    this.addSql(`alter table "audit_record" enable row level security;`);
    this.addSql(`alter table "audit_record" force row level security;`);
    this.addSql(`create policy "organization" on "audit_record" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "audit_record" to "attribution_jobs" using (true) with check (true);`);
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
    this.addSql(`alter table "charge_day" enable row level security;`);
    this.addSql(`alter table "charge_day" force row level security;`);
    this.addSql(`create policy "organization" on "charge_day" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "charge_day" to "attribution_jobs" using (true) with check (true);`);
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
    this.addSql(`alter table "end_user_model_day" enable row level security;`);
    this.addSql(`alter table "end_user_model_day" force row level security;`);
    this.addSql(`create policy "organization" on "end_user_model_day" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "end_user_model_day" to "attribution_jobs" using (true) with check (true);`);
    this.addSql(`alter table "end_user_month" enable row level security;`);
    this.addSql(`alter table "end_user_month" force row level security;`);
    this.addSql(`create policy "organization" on "end_user_month" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "end_user_month" to "attribution_jobs" using (true) with check (true);`);
    this.addSql(`alter table "feed_place" enable row level security;`);
    this.addSql(`alter table "feed_place" force row level security;`);
    this.addSql(`create policy "organization" on "feed_place" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "feed_place" to "attribution_jobs" using (true) with check (true);`);
    this.addSql(`alter table "large_end_user" enable row level security;`);
    this.addSql(`alter table "large_end_user" force row level security;`);
    this.addSql(`create policy "organization" on "large_end_user" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "large_end_user" to "attribution_jobs" using (true) with check (true);`);
    this.addSql(`alter table "operation" enable row level security;`);
    this.addSql(`alter table "operation" force row level security;`);
    this.addSql(`create policy "organization" on "operation" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "operation" to "attribution_jobs" using (true) with check (true);`);
    this.addSql(`alter table "organization_home" enable row level security;`);
    this.addSql(`alter table "organization_home" force row level security;`);
    this.addSql(`create policy "organization" on "organization_home" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "organization_home" to "attribution_jobs" using (true) with check (true);`);
    this.addSql(`alter table "outcome" enable row level security;`);
    this.addSql(`alter table "outcome" force row level security;`);
    this.addSql(`create policy "organization" on "outcome" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "outcome" to "attribution_jobs" using (true) with check (true);`);
    this.addSql(`alter table "outcome_event" enable row level security;`);
    this.addSql(`alter table "outcome_event" force row level security;`);
    this.addSql(`create policy "organization" on "outcome_event" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "outcome_event" to "attribution_jobs" using (true) with check (true);`);
    this.addSql(`alter table "outcome_version" enable row level security;`);
    this.addSql(`alter table "outcome_version" force row level security;`);
    this.addSql(`create policy "organization" on "outcome_version" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "outcome_version" to "attribution_jobs" using (true) with check (true);`);
    this.addSql(`alter table "pending_day" enable row level security;`);
    this.addSql(`alter table "pending_day" force row level security;`);
    this.addSql(`create policy "organization" on "pending_day" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "pending_day" to "attribution_jobs" using (true) with check (true);`);
    this.addSql(`alter table "refused_fact" enable row level security;`);
    this.addSql(`alter table "refused_fact" force row level security;`);
    this.addSql(`create policy "organization" on "refused_fact" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "refused_fact" to "attribution_jobs" using (true) with check (true);`);
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

    // Rows of these tables are updated constantly: with free space on its page a new row version touches no index
    // (measured: nearly all updates stay on their page, 4 % without).
    this.addSql(`alter table "rollup_hour" set (fillfactor = 60);`);
    this.addSql(`alter table "rollup_day" set (fillfactor = 60);`);
    this.addSql(`alter table "end_user_day" set (fillfactor = 80);`);
    this.addSql(`alter table "end_user_month" set (fillfactor = 80);`);
    this.addSql(`alter table "charge_day" set (fillfactor = 80);`);
    this.addSql(`alter table "feed_place" set (fillfactor = 50);`);

    // No statement searches by these columns, and sampling them was most of what ANALYZE cost while events arrive.
    // Citus does not support the statement.
    this.addSql(`do $$ begin
      if to_regclass('pg_dist_partition') is null then
        alter table cost_fact alter column input_tokens set statistics 0, alter column output_tokens set statistics 0, alter column cache_creation_input_tokens set statistics 0, alter column cache_read_input_tokens set statistics 0, alter column reasoning_tokens set statistics 0, alter column total_cost set statistics 0, alter column input_cost set statistics 0, alter column output_cost set statistics 0, alter column cache_creation_cost set statistics 0, alter column cache_read_cost set statistics 0, alter column reasoning_cost set statistics 0, alter column dimensions set statistics 0, alter column parent_span_id set statistics 0, alter column provider_name set statistics 0, alter column charges set statistics 0;
        alter table rollup_hour alter column input_tokens set statistics 0, alter column output_tokens set statistics 0, alter column cache_creation_input_tokens set statistics 0, alter column cache_read_input_tokens set statistics 0, alter column reasoning_tokens set statistics 0, alter column total_cost set statistics 0, alter column input_cost set statistics 0, alter column output_cost set statistics 0, alter column cache_creation_cost set statistics 0, alter column cache_read_cost set statistics 0, alter column reasoning_cost set statistics 0, alter column event_count set statistics 0;
        alter table rollup_day alter column input_tokens set statistics 0, alter column output_tokens set statistics 0, alter column cache_creation_input_tokens set statistics 0, alter column cache_read_input_tokens set statistics 0, alter column reasoning_tokens set statistics 0, alter column total_cost set statistics 0, alter column input_cost set statistics 0, alter column output_cost set statistics 0, alter column cache_creation_cost set statistics 0, alter column cache_read_cost set statistics 0, alter column reasoning_cost set statistics 0, alter column event_count set statistics 0;
        alter table end_user_day alter column total_cost set statistics 0, alter column event_count set statistics 0;
        alter table charge_day alter column quantity set statistics 0, alter column list_amount set statistics 0, alter column amount set statistics 0, alter column corrections set statistics 0, alter column event_count set statistics 0;
        alter table end_user_month alter column total_cost set statistics 0, alter column event_count set statistics 0;
      end if;
    end $$;`);
  }

}
