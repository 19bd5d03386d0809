-- The migrations from before version 1.0, which one migration, `version-1`, replaced. They bring a database or a backup of that
-- time to the same schema. Each begins with `-- migration NAME`; a blank line separates its statements.

-- migration 20261121101722-create-tables

create table "cost_fact" ("organization_id" uuid not null, "event_id" uuid not null, "sequence" int not null, "event_time" timestamptz(6) not null, "end_user_id" uuid null, "model_slug" text not null, "provider_id" text not null, "provider_slug" text not null, "provider_name" text not null, "input_tokens" bigint not null, "output_tokens" bigint not null, "cache_creation_input_tokens" bigint null, "cache_read_input_tokens" bigint null, "reasoning_tokens" bigint null, "total_cost" numeric(30,15) not null, "input_cost" numeric(30,15) not null, "output_cost" numeric(30,15) not null, "cache_creation_cost" numeric(30,15) null, "cache_read_cost" numeric(30,15) null, "reasoning_cost" numeric(30,15) null, "dimensions" jsonb not null, "session_id" text null, "span_id" text null, "parent_span_id" text null, "arrival" bigint not null, primary key ("organization_id", "event_id", "sequence"));

create index "cost_fact_time_index" on "cost_fact" ("organization_id", "event_time");

create index "cost_fact_end_user_index" on "cost_fact" ("organization_id", "end_user_id", "event_time");

create index "cost_fact_session_index" on "cost_fact" ("organization_id", "session_id") where session_id is not null;

create table "dimension" ("organization_id" uuid not null, "key" text not null, "label" text not null, "registered_at" timestamptz(3) not null, "retired_at" timestamptz(3) null, primary key ("organization_id", "key"));

create table "end_user" ("organization_id" uuid not null, "id" uuid not null, "external_id" text not null, "first_seen_at" timestamptz(6) not null, primary key ("organization_id", "id"));

create table "end_user_day" ("organization_id" uuid not null, "bucket" timestamptz(0) not null, "end_user_id" uuid not null, "total_cost" numeric not null, "event_count" bigint not null, primary key ("organization_id", "bucket", "end_user_id"));

create table "end_user_month" ("organization_id" uuid not null, "bucket" timestamptz(0) not null, "end_user_id" uuid not null, "total_cost" numeric not null, "event_count" bigint not null, primary key ("organization_id", "bucket", "end_user_id"));

create table "feed_position" ("follower" text not null, "position" jsonb null, "arrival" bigint not null, "batches_behind" bigint not null, primary key ("follower"));

create table "rolled_key" ("organization_id" uuid not null, "key" text not null, "state" text not null, "boundary" bigint null, "cursor_time" timestamptz(6) null, "cursor_event_id" uuid null, "cursor_sequence" int null, "unswept" boolean not null, primary key ("organization_id", "key"));

create index "rolled_key_work_index" on "rolled_key" ("state", "unswept");

create table "rollup_day" ("organization_id" uuid not null, "dimension_key" text not null, "bucket" timestamptz(0) not null, "dimension_value" text not null, "input_tokens" numeric not null, "output_tokens" numeric not null, "cache_creation_input_tokens" numeric null, "cache_read_input_tokens" numeric null, "reasoning_tokens" numeric null, "total_cost" numeric not null, "input_cost" numeric not null, "output_cost" numeric not null, "cache_creation_cost" numeric null, "cache_read_cost" numeric null, "reasoning_cost" numeric null, "event_count" bigint not null, primary key ("organization_id", "dimension_key", "bucket", "dimension_value"));

create table "rollup_hour" ("organization_id" uuid not null, "dimension_key" text not null, "bucket" timestamptz(0) not null, "dimension_value" text not null, "input_tokens" numeric not null, "output_tokens" numeric not null, "cache_creation_input_tokens" numeric null, "cache_read_input_tokens" numeric null, "reasoning_tokens" numeric null, "total_cost" numeric not null, "input_cost" numeric not null, "output_cost" numeric not null, "cache_creation_cost" numeric null, "cache_read_cost" numeric null, "reasoning_cost" numeric null, "event_count" bigint not null, primary key ("organization_id", "dimension_key", "bucket", "dimension_value"));

alter table "cost_fact" enable row level security;

alter table "cost_fact" force row level security;

create policy "organization" on "cost_fact" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "cost_fact" to "attribution_jobs" using (true) with check (true);

alter table "dimension" enable row level security;

alter table "dimension" force row level security;

create policy "organization" on "dimension" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "dimension" to "attribution_jobs" using (true) with check (true);

alter table "end_user" enable row level security;

alter table "end_user" force row level security;

create policy "organization" on "end_user" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "end_user" to "attribution_jobs" using (true) with check (true);

alter table "end_user_day" enable row level security;

alter table "end_user_day" force row level security;

create policy "organization" on "end_user_day" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "end_user_day" to "attribution_jobs" using (true) with check (true);

alter table "end_user_month" enable row level security;

alter table "end_user_month" force row level security;

create policy "organization" on "end_user_month" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "end_user_month" to "attribution_jobs" using (true) with check (true);

alter table "rolled_key" add constraint "rolled_key_state_check" check ("state" in ('clearing', 'backfilling', 'ready', 'unbounded', 'retired'));

alter table "rolled_key" enable row level security;

alter table "rolled_key" force row level security;

create policy "organization" on "rolled_key" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "rolled_key" to "attribution_jobs" using (true) with check (true);

alter table "rollup_day" enable row level security;

alter table "rollup_day" force row level security;

create policy "organization" on "rollup_day" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "rollup_day" to "attribution_jobs" using (true) with check (true);

alter table "rollup_hour" enable row level security;

alter table "rollup_hour" force row level security;

create policy "organization" on "rollup_hour" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "rollup_hour" to "attribution_jobs" using (true) with check (true);

-- migration 20261121103256-audit

create table "audit_record" ("organization_id" uuid not null, "id" uuid not null, "at" timestamptz(3) not null, "act" text not null, "actor_kind" text not null, "account_user_id" uuid null, "credential_id" uuid null, "subject_id" text null, "detail" text null, primary key ("organization_id", "id"));

alter table "audit_record" enable row level security;

alter table "audit_record" force row level security;

create policy "organization" on "audit_record" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "audit_record" to "attribution_jobs" using (true) with check (true);

-- migration 20261121131218-provider-reported

alter table "cost_fact" add "provider_reported" boolean null;

-- migration 20261121131219-leave-room-for-updates
-- Rows of these tables are updated constantly: with free space on its page a new row version touches no index.

alter table "rollup_hour" set (fillfactor = 60);

alter table "rollup_day" set (fillfactor = 60);

alter table "end_user_day" set (fillfactor = 80);

alter table "end_user_month" set (fillfactor = 80);

alter table "feed_position" set (fillfactor = 10);

-- migration 20261122014924-places-by-organization

create table "feed_place" ("organization_id" uuid not null, "number" bigint not null, "token" uuid null, "taken" int not null, "evidence_number" bigint null, "evidence_token" uuid null, "head" bigint not null, "arrival" bigint not null, "replay" jsonb null, primary key ("organization_id"));

create index "feed_place_replay_index" on "feed_place" ("organization_id") where replay is not null;

create table "refused_fact" ("organization_id" uuid not null, "id" text not null, "body" text not null, "reason" text not null, "refused_at" timestamptz(3) not null, primary key ("organization_id", "id"));

-- The old position cannot be converted to one per organization. The positions inserted here belong to no batch of
-- costing, so that each organization is compared with the ledger. Facts keep their arrival, which a running backfill
-- needs.
alter table "feed_place" set (fillfactor = 50);

insert into "feed_place" ("organization_id", "number", "token", "taken", "head", "arrival")
  select organization_id, 1, gen_random_uuid(), 0, 1, coalesce((select max(arrival) from feed_position), 0)
  from (select organization_id from rolled_key union select organization_id from end_user) known;

drop table if exists "feed_position" cascade;

alter table "feed_place" enable row level security;

alter table "feed_place" force row level security;

create policy "organization" on "feed_place" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "feed_place" to "attribution_jobs" using (true) with check (true);

alter table "refused_fact" enable row level security;

alter table "refused_fact" force row level security;

create policy "organization" on "refused_fact" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "refused_fact" to "attribution_jobs" using (true) with check (true);

-- migration 20261122025856-verification

create table "book_difference" ("organization_id" uuid not null, "day" date not null, "what" text not null, "detail" text not null, "since" timestamptz(3) not null, "verified_at" timestamptz(3) not null, primary key ("organization_id", "day", "what"));

create table "book_state" ("organization_id" uuid not null, "verified_at" timestamptz(3) not null, "round_at" timestamptz(3) null, primary key ("organization_id"));

create table "changed_day" ("organization_id" uuid not null, "day" date not null, "since" timestamptz(3) not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "day"));

create index "changed_day_turn_index" on "changed_day" ("since");

create table "operation" ("organization_id" uuid not null, "id" uuid not null, "kind" text not null, "parameters" jsonb not null, "place" jsonb null, "done" bigint not null, "total" bigint null, "result" jsonb null, "state" text not null, "attempt" int not null, "last_error" text null, "next_step_at" timestamptz(3) not null, "lease_owner" uuid null, "lease_until" timestamptz(3) null, "started_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, primary key ("organization_id", "id"));

create index "operation_turn_index" on "operation" ("state", "next_step_at");

alter table "book_difference" enable row level security;

alter table "book_difference" force row level security;

create policy "organization" on "book_difference" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "book_difference" to "attribution_jobs" using (true) with check (true);

alter table "book_state" enable row level security;

alter table "book_state" force row level security;

create policy "organization" on "book_state" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "book_state" to "attribution_jobs" using (true) with check (true);

alter table "changed_day" enable row level security;

alter table "changed_day" force row level security;

create policy "organization" on "changed_day" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "changed_day" to "attribution_jobs" using (true) with check (true);

alter table "operation" add constraint "operation_state_check" check ("state" in ('running', 'cancelled', 'failed', 'finished'));

alter table "operation" enable row level security;

alter table "operation" force row level security;

create policy "organization" on "operation" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "operation" to "attribution_jobs" using (true) with check (true);

-- migration 20261123072243-homes

create table "organization_home" ("organization_id" uuid not null, primary key ("organization_id"));

alter table "organization_home" enable row level security;

alter table "organization_home" force row level security;

create policy "organization" on "organization_home" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "organization_home" to "attribution_jobs" using (true) with check (true);

-- migration 20261123184502-fewer-statistics
-- No statement searches by these columns, and sampling them was most of what ANALYZE cost while events arrive.
-- Citus does not support the statement.

do $$ begin
  if to_regclass('pg_dist_partition') is null then
  alter table cost_fact alter column input_tokens set statistics 0, alter column output_tokens set statistics 0, alter column cache_creation_input_tokens set statistics 0, alter column cache_read_input_tokens set statistics 0, alter column reasoning_tokens set statistics 0, alter column total_cost set statistics 0, alter column input_cost set statistics 0, alter column output_cost set statistics 0, alter column cache_creation_cost set statistics 0, alter column cache_read_cost set statistics 0, alter column reasoning_cost set statistics 0, alter column dimensions set statistics 0, alter column parent_span_id set statistics 0, alter column provider_name set statistics 0;
  end if;
  end $$;

-- migration 20261124044826-no-statistics-of-sums
-- No statement searches by these columns, and sampling them was most of what ANALYZE cost while events arrive.
-- Citus does not support the statement.

do $$ begin
  if to_regclass('pg_dist_partition') is null then
  alter table rollup_hour alter column input_tokens set statistics 0, alter column output_tokens set statistics 0, alter column cache_creation_input_tokens set statistics 0, alter column cache_read_input_tokens set statistics 0, alter column reasoning_tokens set statistics 0, alter column total_cost set statistics 0, alter column input_cost set statistics 0, alter column output_cost set statistics 0, alter column cache_creation_cost set statistics 0, alter column cache_read_cost set statistics 0, alter column reasoning_cost set statistics 0, alter column event_count set statistics 0;
  alter table rollup_day alter column input_tokens set statistics 0, alter column output_tokens set statistics 0, alter column cache_creation_input_tokens set statistics 0, alter column cache_read_input_tokens set statistics 0, alter column reasoning_tokens set statistics 0, alter column total_cost set statistics 0, alter column input_cost set statistics 0, alter column output_cost set statistics 0, alter column cache_creation_cost set statistics 0, alter column cache_read_cost set statistics 0, alter column reasoning_cost set statistics 0, alter column event_count set statistics 0;
  alter table end_user_day alter column total_cost set statistics 0, alter column event_count set statistics 0;
  alter table end_user_month alter column total_cost set statistics 0, alter column event_count set statistics 0;
  end if;
  end $$;

-- migration 20261127045755-version-1

-- migration 20261127091746-charges-by-day

create table "charge_day" ("organization_id" uuid not null, "bucket" timestamptz(0) not null, "provider" text not null, "model" text not null, "context" text not null, "charge_class" text not null, "unit" text not null, "quantity" numeric not null, "list_amount" numeric not null, "amount" numeric not null, "corrections" numeric not null, "event_count" bigint not null, primary key ("organization_id", "bucket", "provider", "model", "context", "charge_class", "unit"));

alter table "cost_fact" add "charges" jsonb null;

alter table "charge_day" enable row level security;

alter table "charge_day" force row level security;

create policy "organization" on "charge_day" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "charge_day" to "attribution_jobs" using (true) with check (true);

alter table "charge_day" set (fillfactor = 80);

do $$ begin
if to_regclass('pg_dist_partition') is null then
  alter table charge_day alter column quantity set statistics 0, alter column list_amount set statistics 0, alter column amount set statistics 0, alter column corrections set statistics 0, alter column event_count set statistics 0;
  alter table cost_fact alter column charges set statistics 0;
end if;
    end $$;

update "feed_place" set "replay" = '{"cursor": {"phase": "entries", "eventId": "00000000-0000-0000-0000-000000000000", "sequence": -1}, "removed": 0, "sumsAll": false}' where "replay" is null;

-- migration 20261127141430-outcomes

create table "outcome" ("organization_id" uuid not null, "livemode" boolean not null, "key" text not null, "name" text not null, "succeeded" boolean not null, "at" timestamptz(6) not null, "end_user" text null, "agent" text null, "session" text null, "task" text null, "value" numeric(30,15) null, "currency" text null, "metadata" jsonb not null, "stated_at" timestamptz(6) not null, "fingerprint" text not null, "versions" int not null, "kept_events" int not null, primary key ("organization_id", "livemode", "key"));

create index "outcome_time_index" on "outcome" ("organization_id", "at") where livemode;

create index "outcome_task_index" on "outcome" ("organization_id", "task", "at", "key") where livemode and task is not null;

create index "outcome_session_index" on "outcome" ("organization_id", "session", "at", "key") where livemode and task is null and session is not null;

create index "outcome_end_user_index" on "outcome" ("organization_id", "end_user") where end_user is not null;

create table "outcome_event" ("organization_id" uuid not null, "event_id" uuid not null, "key" text not null, primary key ("organization_id", "event_id"));

create index "outcome_event_key_index" on "outcome_event" ("organization_id", "key");

create table "outcome_version" ("organization_id" uuid not null, "livemode" boolean not null, "key" text not null, "version" int not null, "name" text not null, "succeeded" boolean not null, "at" timestamptz(6) not null, "end_user" text null, "agent" text null, "session" text null, "task" text null, "value" numeric(30,15) null, "currency" text null, "metadata" jsonb not null, "stated_at" timestamptz(6) not null, "fingerprint" text not null, "recorded_at" timestamptz(6) not null, primary key ("organization_id", "livemode", "key", "version"));

create index "outcome_version_end_user_index" on "outcome_version" ("organization_id", "end_user") where end_user is not null;

create index cost_fact_task_index on cost_fact (organization_id, (dimensions ->> 'task_id'))
  where (dimensions ->> 'task_id') is not null;

alter table "outcome" enable row level security;

alter table "outcome" force row level security;

create policy "organization" on "outcome" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "outcome" to "attribution_jobs" using (true) with check (true);

alter table "outcome_event" enable row level security;

alter table "outcome_event" force row level security;

create policy "organization" on "outcome_event" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "outcome_event" to "attribution_jobs" using (true) with check (true);

alter table "outcome_version" enable row level security;

alter table "outcome_version" force row level security;

create policy "organization" on "outcome_version" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "outcome_version" to "attribution_jobs" using (true) with check (true);

-- migration 20261127152550-pending-days

create table "pending_day" ("organization_id" uuid not null, "day" date not null, "arrival" bigint not null, "facts" int not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "day"));

create index "cost_fact_arrival_index" on "cost_fact" ("organization_id", "arrival");

alter table "pending_day" enable row level security;

alter table "pending_day" force row level security;

create policy "organization" on "pending_day" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "pending_day" to "attribution_jobs" using (true) with check (true);

-- migration 20261128021810-charges-by-agreement

alter table "charge_day" drop constraint "charge_day_pkey";

alter table "charge_day" add "agreement" text not null default '';

alter table "charge_day" alter column "agreement" drop default;

alter table "charge_day" add primary key ("organization_id", "bucket", "provider", "model", "context", "charge_class", "unit", "agreement");

-- migration 20261128202005-metadata-of-outcomes

create index "outcome_version_metadata_index" on "outcome_version" ("organization_id", "recorded_at") where metadata <> '{}';

-- migration 20261129055000-version-1

-- migration 20261129060451-large-end-users

create table "end_user_model_day" ("organization_id" uuid not null, "end_user_id" uuid not null, "bucket" timestamptz(0) not null, "provider_slug" text not null, "model_slug" text not null, "input_tokens" numeric not null, "output_tokens" numeric not null, "cache_creation_input_tokens" numeric null, "cache_read_input_tokens" numeric null, "reasoning_tokens" numeric null, "total_cost" numeric not null, "input_cost" numeric not null, "output_cost" numeric not null, "cache_creation_cost" numeric null, "cache_read_cost" numeric null, "reasoning_cost" numeric null, "event_count" bigint not null, primary key ("organization_id", "end_user_id", "bucket", "provider_slug", "model_slug"));

create table "large_end_user" ("organization_id" uuid not null, "end_user_id" uuid not null, "summed_from" date not null, primary key ("organization_id", "end_user_id"));

create index "large_end_user_unfinished_index" on "large_end_user" ("organization_id") where summed_from > '-infinity';

alter table "end_user_model_day" enable row level security;

alter table "end_user_model_day" force row level security;

create policy "organization" on "end_user_model_day" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "end_user_model_day" to "attribution_jobs" using (true) with check (true);

alter table "large_end_user" enable row level security;

alter table "large_end_user" force row level security;

create policy "organization" on "large_end_user" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "large_end_user" to "attribution_jobs" using (true) with check (true);
