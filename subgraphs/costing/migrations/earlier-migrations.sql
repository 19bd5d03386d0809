-- The migrations from before version 1.0, which one migration, `version-1`, replaced. They bring a database or a backup of that
-- time to the same schema. Each begins with `-- migration NAME`; a blank line separates its statements.

-- migration 20261121093924-first

create table "catalog_release" ("id" uuid not null, "source" text not null, "imported_at" timestamptz(3) not null, "report" jsonb not null, primary key ("id"));

create table "cost_entry" ("organization_id" uuid not null, "event_id" uuid not null, "sequence" int not null, "livemode" boolean not null, "event_time" timestamptz(6) not null, "total_cost" numeric(30,15) not null, "input_cost" numeric(30,15) not null, "output_cost" numeric(30,15) not null, "cache_creation_cost" numeric(30,15) null, "cache_read_cost" numeric(30,15) null, "reasoning_cost" numeric(30,15) null, "model_slug" text not null, "provider_slug" text not null, "rate_card_id" uuid null, "rate_card_version_id" uuid null, "tier_above" bigint null, "match_rule" text null, "explanation" json not null, "cause" text not null, "repricing_id" uuid null, "recorded_at" timestamptz(6) not null, "xid" xid8 not null default pg_current_xact_id(), primary key ("organization_id", "event_id", "sequence"));

create index "cost_entry_time_index" on "cost_entry" ("organization_id", "event_time");

create table "cost_hour" ("organization_id" uuid not null, "hour" timestamptz(0) not null, "completed" bigint not null, "failed" bigint not null, "pending_rate_card" bigint not null, "total_cost" numeric(40,15) not null, "quantity" numeric(40,0) not null, primary key ("organization_id", "hour"));

create table "credit_account" ("organization_id" uuid not null, "allotment" bigint null, "allotment_left" bigint null, "soft_limit" bigint null, "renews_at" timestamptz(3) null, "renewal_day" int null, "spent" bigint not null, "spent_from_packs" bigint not null, primary key ("organization_id"));

create table "event_pack" ("organization_id" uuid not null, "id" uuid not null, "size" bigint not null, "left" bigint not null, "added_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("organization_id", "id"));

create table "feed_follower" ("name" text not null, "xid" xid8 not null, "batch_id" bigint not null, "replaying" boolean not null, "read_at" timestamptz(3) not null, primary key ("name"));

create table "feed_horizon" ("id" int not null, "xid" xid8 not null, "batch_id" bigint not null, primary key ("id"));

create table "priced_batch" ("organization_id" uuid not null, "id" bigserial not null, "xid" xid8 not null default pg_current_xact_id(), "body" json not null, "size" int not null, "published_at" timestamptz(6) not null default now(), primary key ("organization_id", "id"));

create index "priced_batch_order_index" on "priced_batch" ("xid", "id");

create table "pricing_job" ("organization_id" uuid not null, "id" uuid not null, "event_ids" uuid[] not null, "attempt" int not null, "alone" boolean not null default false, "next_attempt_at" timestamptz(3) not null, "last_error" text null, "created_at" timestamptz(3) not null, primary key ("organization_id", "id"));

create index "pricing_job_next_index" on "pricing_job" ("next_attempt_at");

create table "rate_alias" ("organization_id" uuid not null, "rate_card_id" uuid not null, "name" text not null, primary key ("organization_id", "rate_card_id", "name"));

create index "rate_alias_name_index" on "rate_alias" ("name", "organization_id");

create table "rate_card" ("organization_id" uuid not null, "id" uuid not null, "provider_slug" text null, "model_slug" text not null, "match_kind" text not null, "created_at" timestamptz(3) not null, primary key ("organization_id", "id"));

create table "rate_card_version" ("organization_id" uuid not null, "id" uuid not null, "rate_card_id" uuid not null, "effective_from" timestamptz(3) null, "effective_to" timestamptz(3) null, "input" numeric(18,9) null, "output" numeric(18,9) null, "cache_creation" numeric(18,9) null, "cache_creation_1h" numeric(18,9) null, "cache_read" numeric(18,9) null, "reasoning" numeric(18,9) null, "per_unit" numeric(18,9) null, "per_unit_name" text null, "unit_prices" jsonb not null, "created_at" timestamptz(3) not null, "superseded_at" timestamptz(3) null, primary key ("organization_id", "id"));

create index "rate_card_version_card_index" on "rate_card_version" ("organization_id", "rate_card_id");

create table "rate_generation" ("organization_id" uuid not null, "xid" xid8 not null default pg_current_xact_id(), "changed_at" timestamptz(3) not null, "requeued" boolean not null, primary key ("organization_id"));

create table "rate_tier" ("organization_id" uuid not null, "rate_card_version_id" uuid not null, "above_input_tokens" bigint not null, "input" numeric(18,9) null, "output" numeric(18,9) null, "cache_creation" numeric(18,9) null, "cache_creation_1h" numeric(18,9) null, "cache_read" numeric(18,9) null, "reasoning" numeric(18,9) null, primary key ("organization_id", "rate_card_version_id", "above_input_tokens"));

create table "repricing" ("organization_id" uuid not null, "id" uuid not null, "period_start" timestamptz(6) not null, "period_end" timestamptz(6) not null, "model" text null, "reverts" uuid null, "done_time" timestamptz(6) null, "done_event_id" uuid null, "started_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, primary key ("organization_id", "id"));

create table "unpriced_event" ("organization_id" uuid not null, "event_id" uuid not null, "status" text not null, "livemode" boolean not null, "event_time" timestamptz(6) not null, "model" text not null, "provider" text null, "reason" text not null, "since" timestamptz(3) not null, primary key ("organization_id", "event_id"));

create index "unpriced_event_model_index" on "unpriced_event" ("organization_id", "status", "model");

create index "unpriced_event_time_index" on "unpriced_event" ("organization_id", "event_time");

create table "usage_event" ("organization_id" uuid not null, "id" uuid not null, "livemode" boolean not null, "idempotency_key" text not null, "account_user_id" uuid not null, "model" text not null, "provider" text null, "end_user_external_id" text null, "input_tokens" bigint not null, "output_tokens" bigint not null, "cache_creation_input_tokens" bigint null, "cache_read_input_tokens" bigint null, "reasoning_tokens" bigint null, "event_time" timestamptz(6) not null, "received_at" timestamptz(6) not null, "cost_override" numeric(30,15) null, "experiment_id" text null, "variant" text null, "session_id" text null, "session_type" text null, "span_id" text null, "parent_span_id" text null, "feature" text null, "agent_id" text null, "workflow_id" text null, "units" numeric(30,15) null, "metadata" json null, "charged" boolean not null, primary key ("organization_id", "id"));

create index usage_event_time_index on usage_event (organization_id, event_time desc, id) where livemode;

create index usage_event_end_user_index on usage_event (organization_id, end_user_external_id, event_time desc, id) where livemode and end_user_external_id is not null;

alter table "usage_event" add constraint "usage_event_key_unique" unique ("organization_id", "livemode", "idempotency_key");

alter table "cost_entry" add constraint "cost_entry_cause_check" check ("cause" in ('priced', 'repriced', 'reverted'));

alter table "cost_entry" enable row level security;

alter table "cost_entry" force row level security;

create policy "organization" on "cost_entry" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "cost_entry" to "costing_jobs" using (true) with check (true);

alter table "cost_hour" enable row level security;

alter table "cost_hour" force row level security;

create policy "organization" on "cost_hour" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "cost_hour" to "costing_jobs" using (true) with check (true);

alter table "credit_account" enable row level security;

alter table "credit_account" force row level security;

create policy "organization" on "credit_account" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "credit_account" to "costing_jobs" using (true) with check (true);

alter table "event_pack" enable row level security;

alter table "event_pack" force row level security;

create policy "organization" on "event_pack" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "event_pack" to "costing_jobs" using (true) with check (true);

alter table "priced_batch" enable row level security;

alter table "priced_batch" force row level security;

create policy "organization" on "priced_batch" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "priced_batch" to "costing_jobs" using (true) with check (true);

alter table "pricing_job" enable row level security;

alter table "pricing_job" force row level security;

create policy "organization" on "pricing_job" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "pricing_job" to "costing_jobs" using (true) with check (true);

alter table "rate_alias" enable row level security;

alter table "rate_alias" force row level security;

create policy "organization" on "rate_alias" for select to "costing_serving" using (organization_id in ('00000000-0000-0000-0000-000000000000'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid));

create policy "jobs" on "rate_alias" to "costing_jobs" using (true) with check (true);

alter table "rate_card" add constraint "rate_card_match_kind_check" check ("match_kind" in ('catalogue', 'prefix'));

alter table "rate_card" enable row level security;

alter table "rate_card" force row level security;

create policy "organization" on "rate_card" for select to "costing_serving" using (organization_id in ('00000000-0000-0000-0000-000000000000'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid));

create policy "jobs" on "rate_card" to "costing_jobs" using (true) with check (true);

alter table "rate_card_version" enable row level security;

alter table "rate_card_version" force row level security;

create policy "organization" on "rate_card_version" for select to "costing_serving" using (organization_id in ('00000000-0000-0000-0000-000000000000'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid));

create policy "jobs" on "rate_card_version" to "costing_jobs" using (true) with check (true);

alter table "rate_generation" enable row level security;

alter table "rate_generation" force row level security;

create policy "organization" on "rate_generation" for select to "costing_serving" using (organization_id in ('00000000-0000-0000-0000-000000000000'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid));

create policy "jobs" on "rate_generation" to "costing_jobs" using (true) with check (true);

alter table "rate_tier" enable row level security;

alter table "rate_tier" force row level security;

create policy "organization" on "rate_tier" for select to "costing_serving" using (organization_id in ('00000000-0000-0000-0000-000000000000'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid));

create policy "jobs" on "rate_tier" to "costing_jobs" using (true) with check (true);

alter table "repricing" enable row level security;

alter table "repricing" force row level security;

create policy "organization" on "repricing" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "repricing" to "costing_jobs" using (true) with check (true);

alter table "unpriced_event" add constraint "unpriced_event_status_check" check ("status" in ('pending_rate_card', 'failed'));

alter table "unpriced_event" enable row level security;

alter table "unpriced_event" force row level security;

create policy "organization" on "unpriced_event" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "unpriced_event" to "costing_jobs" using (true) with check (true);

alter table "usage_event" enable row level security;

alter table "usage_event" force row level security;

create policy "organization" on "usage_event" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "usage_event" to "costing_jobs" using (true) with check (true);

-- migration 20261121103254-audit

create table "audit_record" ("organization_id" uuid not null, "id" uuid not null, "at" timestamptz(3) not null, "act" text not null, "actor_kind" text not null, "account_user_id" uuid null, "credential_id" uuid null, "subject_id" text null, "detail" text null, primary key ("organization_id", "id"));

alter table "audit_record" enable row level security;

alter table "audit_record" force row level security;

create policy "organization" on "audit_record" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "audit_record" to "costing_jobs" using (true) with check (true);

-- migration 20261121103255-rate-constraints
-- Constraints that entities cannot express: one card per name, no two versions in force at once, no orphans.

create extension if not exists btree_gist;

alter table rate_card add constraint rate_card_name_unique
  unique nulls not distinct (organization_id, match_kind, model_slug, provider_slug);

alter table rate_card_version add constraint rate_card_version_card_foreign
  foreign key (organization_id, rate_card_id) references rate_card (organization_id, id);

alter table rate_alias add constraint rate_alias_card_foreign
  foreign key (organization_id, rate_card_id) references rate_card (organization_id, id);

alter table rate_tier add constraint rate_tier_version_foreign
  foreign key (organization_id, rate_card_version_id) references rate_card_version (organization_id, id);

alter table rate_card_version add constraint rate_card_version_one_in_force
  exclude using gist (organization_id with =, rate_card_id with =, tstzrange(effective_from, effective_to) with &&)
  where (superseded_at is null);

-- migration 20261121221217-bound-claims

drop index "pricing_job_next_index";

alter table "pricing_job" add "bytes" int not null default 0;

-- Jobs that are already waiting.
update "pricing_job" j set "bytes" = coalesce((
  select sum(octet_length(e.metadata::text)) from usage_event e where e.organization_id = j.organization_id and e.id = any(j.event_ids)), 0);

create index "pricing_job_turn_index" on "pricing_job" ("organization_id", "next_attempt_at");

-- migration 20261122013350-rates-of-repricing

alter table "repricing" add "rate_generation" text null;

-- migration 20261122013935-feed-by-organization

create table "feed_acknowledgement" ("organization_id" uuid not null, "follower" text not null, "number" bigint not null, "token" uuid null, primary key ("organization_id", "follower"));

create table "feed_head" ("organization_id" uuid not null, "number" bigint not null, "token" uuid not null, "previous_token" uuid null, primary key ("organization_id"));

-- Rows of these tables are updated constantly: with free space on its page a new row version touches no index.
alter table "feed_acknowledgement" set (fillfactor = 50);

alter table "feed_head" set (fillfactor = 50);

-- Number 1 represents the pruned past, so that a new consumer first receives the ledger. The remaining batches of the old
-- feed follow in their order. Old positions cannot be converted: each consumer replays, which changes nothing twice.
alter table "priced_batch" add "number" bigint null, add "token" uuid null, add "previous_token" uuid null, add "bytes" int null;

insert into "feed_head" ("organization_id", "number", "token")
  select organization_id, 1, gen_random_uuid() from (
  select organization_id from cost_entry union select organization_id from unpriced_event union select organization_id from priced_batch) known;

update "priced_batch" b set "number" = numbered.number, "token" = gen_random_uuid(), "bytes" = octet_length(b.body::text)
  from (select organization_id, id, 1 + row_number() over (partition by organization_id order by xid, id) as number from priced_batch) numbered
  where b.organization_id = numbered.organization_id and b.id = numbered.id;

update "priced_batch" b set "previous_token" = coalesce(
  (select token from priced_batch before where before.organization_id = b.organization_id and before.number = b.number - 1),
  (select token from feed_head head where head.organization_id = b.organization_id));

update "feed_head" head set "number" = last.number, "token" = last.token, "previous_token" = last.previous_token
  from (select distinct on (organization_id) organization_id, number, token, previous_token from priced_batch
  order by organization_id, number desc) last
  where head.organization_id = last.organization_id;

drop table if exists "feed_horizon" cascade;

alter table "cost_entry" drop column "xid";

alter table "feed_follower" drop column "batch_id", drop column "replaying", drop column "xid";

alter table "feed_follower" rename column "read_at" to "began_at";

drop index "priced_batch_order_index";

alter table "priced_batch" drop constraint "priced_batch_pkey";

alter table "priced_batch" drop column "id", drop column "xid";

alter table "priced_batch" alter column "number" set not null, alter column "token" set not null, alter column "bytes" set not null;

alter table "priced_batch" alter column "published_at" drop default;

alter table "priced_batch" add primary key ("organization_id", "number");

alter table "feed_acknowledgement" enable row level security;

alter table "feed_acknowledgement" force row level security;

create policy "organization" on "feed_acknowledgement" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "feed_acknowledgement" to "costing_jobs" using (true) with check (true);

alter table "feed_head" enable row level security;

alter table "feed_head" force row level security;

create policy "organization" on "feed_head" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "feed_head" to "costing_jobs" using (true) with check (true);

-- migration 20261122020153-erasure

create table "end_user_erasure" ("organization_id" uuid not null, "id" uuid not null, "subject_hash" text not null, "pseudonym" text null, "events" bigint not null, "requested_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, primary key ("organization_id", "id"));

create index "end_user_erasure_subject_index" on "end_user_erasure" ("organization_id", "subject_hash");

alter table "usage_event" add "reduced_at" timestamptz(3) null;

alter table "end_user_erasure" add constraint "end_user_erasure_pseudonym" check ((pseudonym is null) = (finished_at is not null));

alter table "end_user_erasure" enable row level security;

alter table "end_user_erasure" force row level security;

create policy "organization" on "end_user_erasure" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "end_user_erasure" to "costing_jobs" using (true) with check (true);

-- migration 20261122020318-operations

create table "operation" ("organization_id" uuid not null, "id" uuid not null, "kind" text not null, "parameters" jsonb not null, "place" jsonb null, "done" bigint not null, "total" bigint null, "result" jsonb null, "state" text not null, "attempt" int not null, "last_error" text null, "next_step_at" timestamptz(3) not null, "lease_owner" uuid null, "lease_until" timestamptz(3) null, "started_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, primary key ("organization_id", "id"));

create index "operation_turn_index" on "operation" ("state", "next_step_at");

-- An interrupted repricing becomes a failed operation. Resuming it starts again, which changes nothing twice.
insert into "operation" ("organization_id", "id", "kind", "parameters", "done", "state", "attempt", "last_error", "next_step_at", "started_at", "updated_at", "finished_at")
  select "organization_id", "id", case when "reverts" is null then 'reprice' else 'revert' end,
  jsonb_build_object('start', to_char("period_start" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  'end', to_char("period_end" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'model', "model", 'reverts', "reverts"),
  0, 'failed', 0, 'It was interrupted before an upgrade: resume it', now(), "started_at", now(), now()
  from "repricing" where "finished_at" is null;

insert into "operation" ("organization_id", "id", "kind", "parameters", "done", "state", "attempt", "next_step_at", "started_at", "updated_at")
  select "organization_id", gen_random_uuid(), 'requeue-waiting', '{}', 0, 'running', 0, now(), now(), now() from "rate_generation" where not "requeued";

alter table "rate_generation" drop column "requeued";

alter table "repricing" drop column "done_event_id", drop column "done_time", drop column "rate_generation";

alter table "operation" add constraint "operation_state_check" check ("state" in ('running', 'cancelled', 'failed', 'finished'));

alter table "operation" enable row level security;

alter table "operation" force row level security;

create policy "organization" on "operation" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "operation" to "costing_jobs" using (true) with check (true);

-- migration 20261122021308-retention

create table "metadata_retention" ("organization_id" uuid not null, "months" int null, "keep_dimensions" text[] not null, "done_until" uuid not null, "next_look_at" timestamptz(3) not null, primary key ("organization_id"));

create index "metadata_retention_look_index" on "metadata_retention" ("next_look_at");

alter table "metadata_retention" enable row level security;

alter table "metadata_retention" force row level security;

create policy "organization" on "metadata_retention" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "metadata_retention" to "costing_jobs" using (true) with check (true);

-- migration 20261122024245-closed-months

create table "cost_closing" ("organization_id" uuid not null, "closed_until" timestamptz(6) null, primary key ("organization_id"));

alter table "cost_entry" add "booked_time" timestamptz(6) null;

create index "cost_entry_booked_index" on "cost_entry" ("organization_id", "booked_time") where booked_time is not null;

alter table "cost_closing" enable row level security;

alter table "cost_closing" force row level security;

create policy "organization" on "cost_closing" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "cost_closing" to "costing_jobs" using (true) with check (true);

-- migration 20261122050416-provider-usage

alter table "cost_entry" add "reading" text null;

create index "cost_entry_guessed_index" on "cost_entry" ("organization_id", "event_time") where reading = 'guessed';

alter table "usage_event" add "provider_usage" json null;

-- migration 20261122050706-erasure-operations

alter table "end_user_erasure" add "external_id" text null;

alter table "end_user_erasure" add constraint "end_user_erasure_external_id" check (finished_at is null or external_id is null);

-- migration 20261122054025-pricing-context

create table "rate_variant" ("organization_id" uuid not null, "rate_card_version_id" uuid not null, "context" text not null, "class" text not null, "above_input_tokens" bigint not null, "rate" numeric(18,9) null, "factor" numeric(18,9) null, "source" text not null, primary key ("organization_id", "rate_card_version_id", "context", "class", "above_input_tokens"));

alter table "cost_entry" add "pricing_context" text not null default '';

alter table "rate_card_version" add "input_audio" numeric(18,9) null, add "output_audio" numeric(18,9) null, add "cache_read_audio" numeric(18,9) null, add "input_image" numeric(18,9) null, add "output_image" numeric(18,9) null, add "cache_read_image" numeric(18,9) null, add "input_video" numeric(18,9) null, add "output_video" numeric(18,9) null;

alter table "rate_tier" add "input_audio" numeric(18,9) null, add "output_audio" numeric(18,9) null, add "cache_read_audio" numeric(18,9) null, add "input_image" numeric(18,9) null, add "output_image" numeric(18,9) null, add "cache_read_image" numeric(18,9) null, add "input_video" numeric(18,9) null, add "output_video" numeric(18,9) null;

alter table "rate_variant" enable row level security;

alter table "rate_variant" force row level security;

create policy "organization" on "rate_variant" for select to "costing_serving" using (organization_id in ('00000000-0000-0000-0000-000000000000'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid));

create policy "jobs" on "rate_variant" to "costing_jobs" using (true) with check (true);

-- migration 20261122062002-unknown-fields

create table "unknown_field" ("organization_id" uuid not null, "name" text not null, "first_seen_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, primary key ("organization_id", "name"));

alter table "unknown_field" enable row level security;

alter table "unknown_field" force row level security;

create policy "organization" on "unknown_field" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "unknown_field" to "costing_jobs" using (true) with check (true);

-- migration 20261122081657-telemetry

create table "attribute_mapping" ("organization_id" uuid not null, "end_user" text[] not null, "agent" text[] not null, "session" text[] not null, "dimensions" json not null, primary key ("organization_id"));

create table "telemetry_parent" ("organization_id" uuid not null, "span_key" text not null, "seen_at" timestamptz(3) not null, primary key ("organization_id", "span_key"));

create index "telemetry_parent_seen_index" on "telemetry_parent" ("organization_id", "seen_at");

create table "telemetry_source" ("organization_id" uuid not null, "livemode" boolean not null, "door" text not null, "name" text not null, "version" text not null, "outcome" text not null, "count" bigint not null, "first_seen_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, primary key ("organization_id", "livemode", "door", "name", "version", "outcome"));

create index usage_event_test_index on usage_event (organization_id, id) where not livemode;

alter table "attribute_mapping" enable row level security;

alter table "attribute_mapping" force row level security;

create policy "organization" on "attribute_mapping" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "attribute_mapping" to "costing_jobs" using (true) with check (true);

alter table "telemetry_parent" enable row level security;

alter table "telemetry_parent" force row level security;

create policy "organization" on "telemetry_parent" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "telemetry_parent" to "costing_jobs" using (true) with check (true);

alter table "telemetry_source" enable row level security;

alter table "telemetry_source" force row level security;

create policy "organization" on "telemetry_source" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "telemetry_source" to "costing_jobs" using (true) with check (true);

-- migration 20261122081920-understood

create table "model_alias" ("organization_id" uuid not null, "name" text not null, "provider_slug" text not null, "model" text not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "name", "provider_slug"));

alter table "unknown_field" add "events" bigint not null default '0', add "example_event_id" uuid null;

alter table "model_alias" enable row level security;

alter table "model_alias" force row level security;

create policy "organization" on "model_alias" for select to "costing_serving" using (organization_id in ('00000000-0000-0000-0000-000000000000'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid));

create policy "jobs" on "model_alias" to "costing_jobs" using (true) with check (true);

-- migration 20261122084000-feed-uncompressed

alter table "priced_batch" alter column "body" set storage external;

-- migration 20261122115522-booked-costs

alter table "attribute_mapping" add "booked_costs" text[] not null default '{}';

-- migration 20261122115635-context-policy

create table "context_policy" ("organization_id" uuid not null, "unknown_context" text not null, "changed_at" timestamptz(3) not null, primary key ("organization_id"));

alter table "cost_entry" add "unknown_context" text null;

create index "cost_entry_unknown_context_index" on "cost_entry" ("organization_id", "event_time") where unknown_context is not null;

alter table "context_policy" add constraint "context_policy_unknown_context_check" check ("unknown_context" in ('wait', 'base'));

alter table "context_policy" enable row level security;

alter table "context_policy" force row level security;

create policy "organization" on "context_policy" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "context_policy" to "costing_jobs" using (true) with check (true);

-- migration 20261122142426-event-key

alter table "usage_event" add "api_key_id" uuid null;

-- migration 20261122152135-usage-profiles

create table "usage_profile" ("organization_id" uuid not null, "day" timestamptz(0) not null, "model_slug" text not null, "provider_slug" text not null, "external_id" text not null, "rate_card_version_id" text not null, "pricing_context" text not null, "above_input_tokens" bigint not null, "is_plain" boolean not null, "events" bigint not null, "cost" numeric(40,15) not null, "input" bigint not null, "output" bigint not null, "cache_creation" bigint not null, "cache_creation_1h" bigint not null, "cache_read" bigint not null, "reasoning" bigint not null, "input_audio" bigint not null, "output_audio" bigint not null, "cache_read_audio" bigint not null, "input_image" bigint not null, "output_image" bigint not null, "cache_read_image" bigint not null, "input_video" bigint not null, "output_video" bigint not null, primary key ("organization_id", "day", "model_slug", "provider_slug", "external_id", "rate_card_version_id", "pricing_context", "above_input_tokens", "is_plain"));

create table "usage_profile_day" ("organization_id" uuid not null, "day" timestamptz(0) not null, "events" bigint not null, "cost" numeric(40,15) not null, "input_sizes" jsonb not null, "is_whole" boolean not null, primary key ("organization_id", "day"));

alter table "usage_profile" enable row level security;

alter table "usage_profile" force row level security;

create policy "organization" on "usage_profile" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "usage_profile" to "costing_jobs" using (true) with check (true);

alter table "usage_profile_day" enable row level security;

alter table "usage_profile_day" force row level security;

create policy "organization" on "usage_profile_day" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "usage_profile_day" to "costing_jobs" using (true) with check (true);

-- migration 20261122173520-rates-effective

create index "rate_card_version_effective_index" on "rate_card_version" ("organization_id", "effective_from") where effective_from is not null and superseded_at is null;

-- migration 20261123072240-homes

create table "organization_home" ("organization_id" uuid not null, primary key ("organization_id"));

alter table "organization_home" enable row level security;

alter table "organization_home" force row level security;

create policy "organization" on "organization_home" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "organization_home" to "costing_jobs" using (true) with check (true);

-- migration 20261123184500-fewer-statistics
-- No statement searches by these columns, and sampling them was most of what ANALYZE cost while events arrive.
-- Citus does not support the statement.

do $$ begin
  if to_regclass('pg_dist_partition') is null then
  alter table usage_event alter column input_tokens set statistics 0, alter column output_tokens set statistics 0, alter column cache_creation_input_tokens set statistics 0, alter column cache_read_input_tokens set statistics 0, alter column reasoning_tokens set statistics 0, alter column cost_override set statistics 0, alter column units set statistics 0, alter column metadata set statistics 0, alter column provider_usage set statistics 0, alter column parent_span_id set statistics 0, alter column account_user_id set statistics 0, alter column api_key_id set statistics 0;
  alter table cost_entry alter column total_cost set statistics 0, alter column input_cost set statistics 0, alter column output_cost set statistics 0, alter column cache_creation_cost set statistics 0, alter column cache_read_cost set statistics 0, alter column reasoning_cost set statistics 0, alter column tier_above set statistics 0, alter column match_rule set statistics 0, alter column explanation set statistics 0, alter column pricing_context set statistics 0;
  end if;
  end $$;

-- migration 20261124022133-heads-ahead

alter table "feed_head" add "is_ahead" boolean not null default false;

create index "feed_head_ahead_index" on "feed_head" ("organization_id") where is_ahead;

-- migration 20261126202423-later-reports

drop index "cost_entry_guessed_index";

alter table "cost_entry" drop constraint "cost_entry_cause_check";

create index "cost_entry_guessed_index" on "cost_entry" ("organization_id", "event_time") where reading in ('guessed', 'incomplete');

alter table "cost_entry" add constraint "cost_entry_cause_check" check ("cause" in ('priced', 'repriced', 'reverted', 'reported'));

alter table "usage_event" add "revised_at" timestamptz(3) null;

-- migration 20261126212305-catalogue-date

alter table "catalog_release" add "published_at" timestamptz(3) null;

-- migration 20261126213231-cached-tokens

create table "cached_tokens_rule" ("organization_id" uuid not null, "counts_of" text not null, "subject" text not null, "cached_tokens" text not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "counts_of", "subject"));

alter table "cached_tokens_rule" add constraint "cached_tokens_rule_counts_of_check" check ("counts_of" in ('api_key', 'source', 'provider'));

alter table "cached_tokens_rule" add constraint "cached_tokens_rule_cached_tokens_check" check ("cached_tokens" in ('included', 'excluded'));

alter table "cached_tokens_rule" enable row level security;

alter table "cached_tokens_rule" force row level security;

create policy "organization" on "cached_tokens_rule" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "cached_tokens_rule" to "costing_jobs" using (true) with check (true);

-- migration 20261127011039-events-unpaid

create or replace function "raise_events_unpaid"() returns int language plpgsql as $$ begin raise exception 'The credits no longer suffice' using errcode = 'BK001'; end $$;

-- migration 20261127045700-constraint-names

alter table "feed_follower" rename constraint "feed_follower_read_at_not_null" to "feed_follower_began_at_not_null";

-- migration 20261127045755-version-1

-- migration 20261127100007-agreements

create table "agreement" ("organization_id" uuid not null, "id" uuid not null, "provider_slug" text not null, "name" text not null, "reference" text null, "from_day" date not null, "until_day" date null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "id"));

create table "agreement_term" ("organization_id" uuid not null, "agreement_id" uuid not null, "number" int not null, "kind" text not null, "models" text[] null, "classes" text[] null, "percent" numeric(7,4) not null, "from_day" date null, "until_day" date null, primary key ("organization_id", "agreement_id", "number"));

alter table "agreement" enable row level security;

alter table "agreement" force row level security;

create policy "organization" on "agreement" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "agreement" to "costing_jobs" using (true) with check (true);

alter table "agreement_term" add constraint "agreement_term_kind_check" check ("kind" in ('discount'));

alter table "agreement_term" enable row level security;

alter table "agreement_term" force row level security;

create policy "organization" on "agreement_term" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "agreement_term" to "costing_jobs" using (true) with check (true);

-- migration 20261127215211-fixed-costs

create table "allocation_day" ("organization_id" uuid not null, "fixed_cost_id" uuid not null, "day" date not null, "revision" int not null, "amount" numeric(30,15) not null, "used" numeric(30,15) not null, "idle" numeric(30,15) not null, "driver_total" numeric(40,15) null, "capacity" numeric(40,15) null, "model_cost" numeric(40,15) not null, "terms_revision" int not null, "ledger_events" bigint not null, "ledger_cost" numeric(40,15) not null, "ledger_quantity" numeric(40,0) not null, "allocated_at" timestamptz(3) not null, primary key ("organization_id", "fixed_cost_id", "day"));

create table "allocation_entry" ("organization_id" uuid not null, "fixed_cost_id" uuid not null, "day" date not null, "revision" int not null, "carrier" text not null, "external_id" text not null, "booked_day" date not null, "measure" numeric(40,15) not null, "amount" numeric(30,15) not null, "recorded_at" timestamptz(6) not null default now(), primary key ("organization_id", "fixed_cost_id", "day", "revision", "carrier", "external_id"));

create index "allocation_entry_booked_index" on "allocation_entry" ("organization_id", "booked_day");

create index "allocation_entry_end_user_index" on "allocation_entry" ("organization_id", "external_id", "booked_day");

create table "fixed_cost" ("organization_id" uuid not null, "id" uuid not null, "key" text not null, "name" text not null, "provider" text null, "driver" text not null, "unit" text null, "capacity" numeric(30,15) null, "weights" jsonb not null, "scope" jsonb not null, "shares" jsonb not null, "revision" int not null, "erasures" int not null default 0, "changed_at" timestamptz(3) not null, primary key ("organization_id", "id"));

alter table "fixed_cost" add constraint "fixed_cost_key_unique" unique ("organization_id", "key");

create table "fixed_cost_period" ("organization_id" uuid not null, "fixed_cost_id" uuid not null, "from_day" date not null, "until_day" date null, "amount" numeric(30,15) not null, "per" text not null, "quantity" numeric(30,15) not null, primary key ("organization_id", "fixed_cost_id", "from_day"));

alter table "allocation_day" enable row level security;

alter table "allocation_day" force row level security;

create policy "organization" on "allocation_day" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "allocation_day" to "costing_jobs" using (true) with check (true);

alter table "allocation_entry" add constraint "allocation_entry_carrier_check" check ("carrier" in ('end_user', 'unassigned', 'idle', 'unallocated'));

alter table "allocation_entry" enable row level security;

alter table "allocation_entry" force row level security;

create policy "organization" on "allocation_entry" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "allocation_entry" to "costing_jobs" using (true) with check (true);

alter table "fixed_cost" add constraint "fixed_cost_driver_check" check ("driver" in ('tokens', 'events', 'cost', 'units', 'equal', 'shares', 'none'));

alter table "fixed_cost" enable row level security;

alter table "fixed_cost" force row level security;

create policy "organization" on "fixed_cost" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "fixed_cost" to "costing_jobs" using (true) with check (true);

alter table "fixed_cost_period" add constraint "fixed_cost_period_per_check" check ("per" in ('hour', 'day', 'month', 'period'));

alter table "fixed_cost_period" enable row level security;

alter table "fixed_cost_period" force row level security;

create policy "organization" on "fixed_cost_period" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "fixed_cost_period" to "costing_jobs" using (true) with check (true);

alter table "fixed_cost_period" add constraint "fixed_cost_period_no_overlap"
      exclude using gist (organization_id with =, fixed_cost_id with =, daterange(from_day, until_day) with &&);

-- migration 20261127223027-allowances

create table "allowance" ("organization_id" uuid not null, "id" uuid not null, "subject" text not null, "subject_id" text not null, "period" text not null, "policy" text not null, "amount" numeric(30,15) null, "counts_from" timestamptz(6) not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "id"));

alter table "allowance" add constraint "allowance_subject_unique" unique ("organization_id", "subject", "subject_id", "period");

create table "allowance_period" ("organization_id" uuid not null, "allowance_id" uuid not null, "period_start" timestamptz(0) not null, "held" numeric(30,15) not null, "open_holds" int not null, "spent" numeric(30,15) not null, primary key ("organization_id", "allowance_id", "period_start"));

create table "allowance_top_up" ("organization_id" uuid not null, "allowance_id" uuid not null, "id" uuid not null, "idempotency_key" text not null, "amount" numeric(30,15) not null, "added_at" timestamptz(3) not null, "actor_kind" text not null, "account_user_id" uuid null, primary key ("organization_id", "allowance_id", "id"));

alter table "allowance_top_up" add constraint "allowance_top_up_key_unique" unique ("organization_id", "allowance_id", "idempotency_key");

create table "hold" ("organization_id" uuid not null, "id" uuid not null, "idempotency_key" text not null, "request_digest" text not null, "end_user_external_id" text null, "agent_id" text null, "model" text null, "amount" numeric(30,15) not null, "state" text not null, "because" text not null, "remaining" numeric(30,15) null, "allowance_id" uuid null, "allowance_ids" uuid[] not null, "period_starts" timestamptz[] not null, "opened_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "closed_at" timestamptz(3) null, "event_id" uuid null, primary key ("organization_id", "id"));

create index hold_expiry_index on hold (expires_at, organization_id) where state = 'open';

create index hold_closed_index on hold (closed_at) where state <> 'open';

alter table "hold" add constraint "hold_key_unique" unique ("organization_id", "idempotency_key");

alter table "allowance" add constraint "allowance_amount" check ((amount is null) = (period = 'prepaid'));

alter table "allowance" add constraint "allowance_subject_id" check ((subject_id = '') = (subject = 'organization'));

alter table "allowance" add constraint "allowance_subject_check" check ("subject" in ('organization', 'end_user', 'agent'));

alter table "allowance" add constraint "allowance_period_check" check ("period" in ('day', 'month', 'prepaid'));

alter table "allowance" add constraint "allowance_policy_check" check ("policy" in ('deny', 'warn'));

alter table "allowance" enable row level security;

alter table "allowance" force row level security;

create policy "organization" on "allowance" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "allowance" to "costing_jobs" using (true) with check (true);

alter table "allowance_period" enable row level security;

alter table "allowance_period" force row level security;

create policy "organization" on "allowance_period" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "allowance_period" to "costing_jobs" using (true) with check (true);

alter table "allowance_top_up" enable row level security;

alter table "allowance_top_up" force row level security;

create policy "organization" on "allowance_top_up" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "allowance_top_up" to "costing_jobs" using (true) with check (true);

alter table "hold" add constraint "hold_state_check" check ("state" in ('open', 'settled', 'released', 'expired', 'denied'));

alter table "hold" add constraint "hold_because_check" check ("because" in ('no_allowance', 'within_allowance', 'over_allowance', 'allowance_used_up', 'too_many_open_holds'));

alter table "hold" enable row level security;

alter table "hold" force row level security;

create policy "organization" on "hold" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "hold" to "costing_jobs" using (true) with check (true);

-- migration 20261127232033-holds-and-allowances

drop policy "jobs" on "allowance_period";

drop policy "organization" on "allowance_period";

drop policy "jobs" on "hold";

drop policy "organization" on "hold";

alter table "allowance_period" alter column "held" type numeric(40,15) using ("held"::numeric(40,15));

alter table "allowance_period" alter column "spent" type numeric(40,15) using ("spent"::numeric(40,15));

create index allowance_period_start_index on allowance_period (period_start);

create policy "jobs" on "allowance_period" to "costing_jobs" using (true) with check (true);

create policy "organization" on "allowance_period" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create index end_user_erasure_active_index on end_user_erasure (organization_id, pseudonym) where finished_at is null;

alter table "hold" alter column "remaining" type numeric(40,15) using ("remaining"::numeric(40,15));

create index hold_end_user_index on hold (organization_id, end_user_external_id, id) where end_user_external_id is not null;

create policy "jobs" on "hold" to "costing_jobs" using (true) with check (true);

create policy "organization" on "hold" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

-- migration 20261128032248-cost-adjustments

create table "cost_adjustment" ("organization_id" uuid not null, "id" uuid not null, "day" date not null, "booked_day" date not null, "provider" text not null, "model" text null, "amount" numeric(30,15) not null, "note" text not null, "reverses_id" uuid null, "recorded_at" timestamptz(6) not null default now(), "recorded_by" uuid null, primary key ("organization_id", "id"));

create index "cost_adjustment_booked_index" on "cost_adjustment" ("organization_id", "booked_day");

alter table "cost_adjustment" add constraint "cost_adjustment_reverses_key" unique ("organization_id", "reverses_id");

alter table "cost_adjustment" enable row level security;

alter table "cost_adjustment" force row level security;

create policy "organization" on "cost_adjustment" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "cost_adjustment" to "costing_jobs" using (true) with check (true);

-- migration 20261128033500-provider-credits

create table "provider_credit" ("organization_id" uuid not null, "id" uuid not null, "name" text not null, "provider_slug" text not null, "models" text[] null, "classes" text[] null, "amount" numeric(30,15) not null, "from_day" date not null, "until_day" date null, "burn_order" int null, "revision" int not null, "burnt_revision" int not null, "is_removed" boolean not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "id"));

create table "provider_credit_day" ("organization_id" uuid not null, "day" date not null, "providers" text[] not null, "costs" jsonb not null, "ledger_events" bigint not null, "ledger_cost" numeric(40,15) not null, "ledger_quantity" numeric(40,0) not null, "is_burnt" boolean not null, "read_at" timestamptz(3) not null, primary key ("organization_id", "day"));

create table "provider_credit_entry" ("organization_id" uuid not null, "credit_id" uuid not null, "day" date not null, "revision" int not null, "cause" text not null, "booked_day" date not null, "amount" numeric(30,15) not null, "recorded_at" timestamptz(6) not null default now(), primary key ("organization_id", "credit_id", "day", "revision", "cause"));

create index "provider_credit_entry_booked_index" on "provider_credit_entry" ("organization_id", "booked_day");

alter table "provider_credit" enable row level security;

alter table "provider_credit" force row level security;

create policy "organization" on "provider_credit" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "provider_credit" to "costing_jobs" using (true) with check (true);

alter table "provider_credit_day" enable row level security;

alter table "provider_credit_day" force row level security;

create policy "organization" on "provider_credit_day" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "provider_credit_day" to "costing_jobs" using (true) with check (true);

alter table "provider_credit_entry" add constraint "provider_credit_entry_cause_check" check ("cause" in ('burn', 'expiry'));

alter table "provider_credit_entry" enable row level security;

alter table "provider_credit_entry" force row level security;

create policy "organization" on "provider_credit_entry" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "provider_credit_entry" to "costing_jobs" using (true) with check (true);

-- migration 20261128072127-commitments

create table "commitment" ("organization_id" uuid not null, "id" uuid not null, "name" text not null, "provider_slug" text not null, "models" text[] null, "amount" numeric(30,15) not null, "period_length" text not null, "from_day" date not null, "until_day" date null, "revision" int not null, "computed_revision" int not null, "is_removed" boolean not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "id"));

create table "commitment_day" ("organization_id" uuid not null, "commitment_id" uuid not null, "day" date not null, "provider_slug" text not null, "models" text[] null, "spent" numeric(30,15) not null, "ledger_events" bigint not null, "ledger_cost" numeric(40,15) not null, "ledger_quantity" numeric(40,0) not null, "is_computed" boolean not null, "read_at" timestamptz(3) not null, primary key ("organization_id", "commitment_id", "day"));

create table "commitment_entry" ("organization_id" uuid not null, "commitment_id" uuid not null, "day" date not null, "revision" int not null, "cause" text not null, "booked_day" date not null, "amount" numeric(30,15) not null, "recorded_at" timestamptz(6) not null default now(), primary key ("organization_id", "commitment_id", "day", "revision", "cause"));

create index "commitment_entry_booked_index" on "commitment_entry" ("organization_id", "booked_day");

alter table "commitment" add constraint "commitment_period_length_check" check ("period_length" in ('month', 'quarter', 'year', 'term'));

alter table "commitment" enable row level security;

alter table "commitment" force row level security;

create policy "organization" on "commitment" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "commitment" to "costing_jobs" using (true) with check (true);

alter table "commitment_day" enable row level security;

alter table "commitment_day" force row level security;

create policy "organization" on "commitment_day" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "commitment_day" to "costing_jobs" using (true) with check (true);

alter table "commitment_entry" add constraint "commitment_entry_cause_check" check ("cause" in ('spend', 'shortfall'));

alter table "commitment_entry" enable row level security;

alter table "commitment_entry" force row level security;

create policy "organization" on "commitment_entry" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "commitment_entry" to "costing_jobs" using (true) with check (true);

-- migration 20261128074632-prepayments

alter table "provider_credit" add "kind" text not null default 'credit';

alter table "provider_credit" add constraint "provider_credit_kind_check" check ("kind" in ('credit', 'prepayment'));

-- migration 20261128160350-replaced-model-costs

alter table "allocation_day" add "replaced_cost" numeric(40,15) not null default '0';

alter table "allocation_entry" add "replaced_cost" numeric(40,15) not null default '0';

alter table "fixed_cost" add "replaces_model_cost" boolean not null default false;

-- migration 20261128201500-replaced-calls-of-provider-costs

alter table "commitment_day" add "replaced_scopes" text not null default '';

alter table "provider_credit_day" add "replaced_scopes" text not null default '';

-- migration 20261128202210-list-costs-of-allocations

alter table "allocation_day" add "list_cost" numeric(40,15) null;
