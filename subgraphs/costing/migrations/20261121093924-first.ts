import { Migration } from '@mikro-orm/migrations';

export class Migration20261121093924_first extends Migration {

  override name = 'Migration20261121093924_first';

  override up(): void | Promise<void> {
    this.addSql(`create table "catalog_release" ("id" uuid not null, "source" text not null, "imported_at" timestamptz(3) not null, "report" jsonb not null, primary key ("id"));`);

    this.addSql(`create table "cost_entry" ("organization_id" uuid not null, "event_id" uuid not null, "sequence" int not null, "livemode" boolean not null, "event_time" timestamptz(6) not null, "total_cost" numeric(30,15) not null, "input_cost" numeric(30,15) not null, "output_cost" numeric(30,15) not null, "cache_creation_cost" numeric(30,15) null, "cache_read_cost" numeric(30,15) null, "reasoning_cost" numeric(30,15) null, "model_slug" text not null, "provider_slug" text not null, "rate_card_id" uuid null, "rate_card_version_id" uuid null, "tier_above" bigint null, "match_rule" text null, "explanation" json not null, "cause" text not null, "repricing_id" uuid null, "recorded_at" timestamptz(6) not null, "xid" xid8 not null default pg_current_xact_id(), primary key ("organization_id", "event_id", "sequence"));`);
    this.addSql(`create index "cost_entry_time_index" on "cost_entry" ("organization_id", "event_time");`);

    this.addSql(`create table "cost_hour" ("organization_id" uuid not null, "hour" timestamptz(0) not null, "completed" bigint not null, "failed" bigint not null, "pending_rate_card" bigint not null, "total_cost" numeric(40,15) not null, "quantity" numeric(40,0) not null, primary key ("organization_id", "hour"));`);

    this.addSql(`create table "credit_account" ("organization_id" uuid not null, "allotment" bigint null, "allotment_left" bigint null, "soft_limit" bigint null, "renews_at" timestamptz(3) null, "renewal_day" int null, "spent" bigint not null, "spent_from_packs" bigint not null, primary key ("organization_id"));`);

    this.addSql(`create table "event_pack" ("organization_id" uuid not null, "id" uuid not null, "size" bigint not null, "left" bigint not null, "added_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "feed_follower" ("name" text not null, "xid" xid8 not null, "batch_id" bigint not null, "replaying" boolean not null, "read_at" timestamptz(3) not null, primary key ("name"));`);

    this.addSql(`create table "feed_horizon" ("id" int not null, "xid" xid8 not null, "batch_id" bigint not null, primary key ("id"));`);

    this.addSql(`create table "priced_batch" ("organization_id" uuid not null, "id" bigserial not null, "xid" xid8 not null default pg_current_xact_id(), "body" json not null, "size" int not null, "published_at" timestamptz(6) not null default now(), primary key ("organization_id", "id"));`);
    this.addSql(`create index "priced_batch_order_index" on "priced_batch" ("xid", "id");`);

    this.addSql(`create table "pricing_job" ("organization_id" uuid not null, "id" uuid not null, "event_ids" uuid[] not null, "attempt" int not null, "alone" boolean not null default false, "next_attempt_at" timestamptz(3) not null, "last_error" text null, "created_at" timestamptz(3) not null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "pricing_job_next_index" on "pricing_job" ("next_attempt_at");`);

    this.addSql(`create table "rate_alias" ("organization_id" uuid not null, "rate_card_id" uuid not null, "name" text not null, primary key ("organization_id", "rate_card_id", "name"));`);
    this.addSql(`create index "rate_alias_name_index" on "rate_alias" ("name", "organization_id");`);

    this.addSql(`create table "rate_card" ("organization_id" uuid not null, "id" uuid not null, "provider_slug" text null, "model_slug" text not null, "match_kind" text not null, "created_at" timestamptz(3) not null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "rate_card_version" ("organization_id" uuid not null, "id" uuid not null, "rate_card_id" uuid not null, "effective_from" timestamptz(3) null, "effective_to" timestamptz(3) null, "input" numeric(18,9) null, "output" numeric(18,9) null, "cache_creation" numeric(18,9) null, "cache_creation_1h" numeric(18,9) null, "cache_read" numeric(18,9) null, "reasoning" numeric(18,9) null, "per_unit" numeric(18,9) null, "per_unit_name" text null, "unit_prices" jsonb not null, "created_at" timestamptz(3) not null, "superseded_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "rate_card_version_card_index" on "rate_card_version" ("organization_id", "rate_card_id");`);

    this.addSql(`create table "rate_generation" ("organization_id" uuid not null, "xid" xid8 not null default pg_current_xact_id(), "changed_at" timestamptz(3) not null, "requeued" boolean not null, primary key ("organization_id"));`);

    this.addSql(`create table "rate_tier" ("organization_id" uuid not null, "rate_card_version_id" uuid not null, "above_input_tokens" bigint not null, "input" numeric(18,9) null, "output" numeric(18,9) null, "cache_creation" numeric(18,9) null, "cache_creation_1h" numeric(18,9) null, "cache_read" numeric(18,9) null, "reasoning" numeric(18,9) null, primary key ("organization_id", "rate_card_version_id", "above_input_tokens"));`);

    this.addSql(`create table "repricing" ("organization_id" uuid not null, "id" uuid not null, "period_start" timestamptz(6) not null, "period_end" timestamptz(6) not null, "model" text null, "reverts" uuid null, "done_time" timestamptz(6) null, "done_event_id" uuid null, "started_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "unpriced_event" ("organization_id" uuid not null, "event_id" uuid not null, "status" text not null, "livemode" boolean not null, "event_time" timestamptz(6) not null, "model" text not null, "provider" text null, "reason" text not null, "since" timestamptz(3) not null, primary key ("organization_id", "event_id"));`);
    this.addSql(`create index "unpriced_event_model_index" on "unpriced_event" ("organization_id", "status", "model");`);
    this.addSql(`create index "unpriced_event_time_index" on "unpriced_event" ("organization_id", "event_time");`);

    this.addSql(`create table "usage_event" ("organization_id" uuid not null, "id" uuid not null, "livemode" boolean not null, "idempotency_key" text not null, "account_user_id" uuid not null, "model" text not null, "provider" text null, "end_user_external_id" text null, "input_tokens" bigint not null, "output_tokens" bigint not null, "cache_creation_input_tokens" bigint null, "cache_read_input_tokens" bigint null, "reasoning_tokens" bigint null, "event_time" timestamptz(6) not null, "received_at" timestamptz(6) not null, "cost_override" numeric(30,15) null, "experiment_id" text null, "variant" text null, "session_id" text null, "session_type" text null, "span_id" text null, "parent_span_id" text null, "feature" text null, "agent_id" text null, "workflow_id" text null, "units" numeric(30,15) null, "metadata" json null, "charged" boolean not null, primary key ("organization_id", "id"));`);
    this.addSql(`create index usage_event_time_index on usage_event (organization_id, event_time desc, id) where livemode;`);
    this.addSql(`create index usage_event_end_user_index on usage_event (organization_id, end_user_external_id, event_time desc, id) where livemode and end_user_external_id is not null;`);
    this.addSql(`alter table "usage_event" add constraint "usage_event_key_unique" unique ("organization_id", "livemode", "idempotency_key");`);

    this.addSql(`alter table "cost_entry" add constraint "cost_entry_cause_check" check ("cause" in ('priced', 'repriced', 'reverted'));`);
    this.addSql(`alter table "cost_entry" enable row level security;`);
    this.addSql(`alter table "cost_entry" force row level security;`);
    this.addSql(`create policy "organization" on "cost_entry" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "cost_entry" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "cost_hour" enable row level security;`);
    this.addSql(`alter table "cost_hour" force row level security;`);
    this.addSql(`create policy "organization" on "cost_hour" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "cost_hour" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "credit_account" enable row level security;`);
    this.addSql(`alter table "credit_account" force row level security;`);
    this.addSql(`create policy "organization" on "credit_account" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "credit_account" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "event_pack" enable row level security;`);
    this.addSql(`alter table "event_pack" force row level security;`);
    this.addSql(`create policy "organization" on "event_pack" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "event_pack" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "priced_batch" enable row level security;`);
    this.addSql(`alter table "priced_batch" force row level security;`);
    this.addSql(`create policy "organization" on "priced_batch" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "priced_batch" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "pricing_job" enable row level security;`);
    this.addSql(`alter table "pricing_job" force row level security;`);
    this.addSql(`create policy "organization" on "pricing_job" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "pricing_job" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "rate_alias" enable row level security;`);
    this.addSql(`alter table "rate_alias" force row level security;`);
    this.addSql(`create policy "organization" on "rate_alias" for select to "costing_serving" using (organization_id in ('00000000-0000-0000-0000-000000000000'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid));`);
    this.addSql(`create policy "jobs" on "rate_alias" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "rate_card" add constraint "rate_card_match_kind_check" check ("match_kind" in ('catalogue', 'prefix'));`);
    this.addSql(`alter table "rate_card" enable row level security;`);
    this.addSql(`alter table "rate_card" force row level security;`);
    this.addSql(`create policy "organization" on "rate_card" for select to "costing_serving" using (organization_id in ('00000000-0000-0000-0000-000000000000'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid));`);
    this.addSql(`create policy "jobs" on "rate_card" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "rate_card_version" enable row level security;`);
    this.addSql(`alter table "rate_card_version" force row level security;`);
    this.addSql(`create policy "organization" on "rate_card_version" for select to "costing_serving" using (organization_id in ('00000000-0000-0000-0000-000000000000'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid));`);
    this.addSql(`create policy "jobs" on "rate_card_version" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "rate_generation" enable row level security;`);
    this.addSql(`alter table "rate_generation" force row level security;`);
    this.addSql(`create policy "organization" on "rate_generation" for select to "costing_serving" using (organization_id in ('00000000-0000-0000-0000-000000000000'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid));`);
    this.addSql(`create policy "jobs" on "rate_generation" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "rate_tier" enable row level security;`);
    this.addSql(`alter table "rate_tier" force row level security;`);
    this.addSql(`create policy "organization" on "rate_tier" for select to "costing_serving" using (organization_id in ('00000000-0000-0000-0000-000000000000'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid));`);
    this.addSql(`create policy "jobs" on "rate_tier" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "repricing" enable row level security;`);
    this.addSql(`alter table "repricing" force row level security;`);
    this.addSql(`create policy "organization" on "repricing" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "repricing" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "unpriced_event" add constraint "unpriced_event_status_check" check ("status" in ('pending_rate_card', 'failed'));`);
    this.addSql(`alter table "unpriced_event" enable row level security;`);
    this.addSql(`alter table "unpriced_event" force row level security;`);
    this.addSql(`create policy "organization" on "unpriced_event" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "unpriced_event" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "usage_event" enable row level security;`);
    this.addSql(`alter table "usage_event" force row level security;`);
    this.addSql(`create policy "organization" on "usage_event" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "usage_event" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "catalog_release" cascade;`);
    this.addSql(`drop table if exists "cost_entry" cascade;`);
    this.addSql(`drop table if exists "cost_hour" cascade;`);
    this.addSql(`drop table if exists "credit_account" cascade;`);
    this.addSql(`drop table if exists "event_pack" cascade;`);
    this.addSql(`drop table if exists "feed_follower" cascade;`);
    this.addSql(`drop table if exists "feed_horizon" cascade;`);
    this.addSql(`drop table if exists "priced_batch" cascade;`);
    this.addSql(`drop table if exists "pricing_job" cascade;`);
    this.addSql(`drop table if exists "rate_alias" cascade;`);
    this.addSql(`drop table if exists "rate_card" cascade;`);
    this.addSql(`drop table if exists "rate_card_version" cascade;`);
    this.addSql(`drop table if exists "rate_generation" cascade;`);
    this.addSql(`drop table if exists "rate_tier" cascade;`);
    this.addSql(`drop table if exists "repricing" cascade;`);
    this.addSql(`drop table if exists "unpriced_event" cascade;`);
    this.addSql(`drop table if exists "usage_event" cascade;`);
  }

}
