import { Migration } from '@mikro-orm/migrations';

/** The whole schema of version 1.0. `earlier-migrations.sql` leads older databases to the same schema. */
export class Migration20261129055000_version_1 extends Migration {

  override name = 'Migration20261129055000_version_1';

  override up(): void | Promise<void> {
    this.addSql(`create table "alert_attempt" ("organization_id" uuid not null, "delivery_id" uuid not null, "attempt" int not null, "at" timestamptz(3) not null, "duration_milliseconds" int not null, "status_code" int null, "error" text null, "answer" text null, primary key ("organization_id", "delivery_id", "attempt"));`);

    this.addSql(`create table "alert_channel" ("organization_id" uuid not null, "id" uuid not null, "kind" text not null, "name" text not null, "target" text not null, "sealed_secret" bytea null, "sealed_previous_secret" bytea null, "previous_until" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "created_by" uuid null, "disabled_at" timestamptz(3) null, "disabled_reason" text null, "failing_since" timestamptz(3) null, "confirmed_at" timestamptz(3) null, "confirmation_hash" bytea null, "confirmation_expires_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`create index alert_channel_confirmation_index on alert_channel (confirmation_hash) where confirmation_hash is not null;`);
    this.addSql(`alter table "alert_channel" add constraint "alert_channel_kind_check" check ("kind" in ('WEBHOOK', 'SLACK', 'EMAIL'));`);

    this.addSql(`create table "alert_delivery" ("organization_id" uuid not null, "id" uuid not null, "channel_id" uuid not null, "episode_id" uuid null, "event_type" text not null, "body" text not null, "created_at" timestamptz(3) not null, "due_at" timestamptz(3) null, "attempt" int not null, "lease_owner" uuid null, "lease_until" timestamptz(3) null, "done_at" timestamptz(3) null, "gave_up_at" timestamptz(3) null, "last_error" text null, primary key ("organization_id", "id"));`);
    this.addSql(`create index alert_delivery_due_index on alert_delivery (due_at) where due_at is not null;`);
    this.addSql(`create index alert_delivery_lease_index on alert_delivery (organization_id, channel_id) where lease_until is not null;`);
    this.addSql(`create index "alert_delivery_channel_index" on "alert_delivery" ("organization_id", "channel_id", "id");`);
    this.addSql(`create index "alert_delivery_episode_index" on "alert_delivery" ("organization_id", "episode_id", "id");`);
    this.addSql(`create index "alert_delivery_created_index" on "alert_delivery" ("organization_id", "created_at", "id");`);

    this.addSql(`create table "alert_episode" ("organization_id" uuid not null, "id" uuid not null, "rule_id" uuid not null, "kind" text not null, "scope" text not null, "group_key" text not null, "group_name" text null, "severity" text not null, "level" int null, "opened_at" timestamptz(3) not null, "closed_at" timestamptz(3) null, "closed_reason" text null, "evidence" jsonb not null, "acknowledged_at" timestamptz(3) null, "acknowledged_by" uuid null, primary key ("organization_id", "id"));`);
    this.addSql(`create unique index alert_episode_open_index on alert_episode (organization_id, rule_id, group_key) where closed_at is null;`);
    this.addSql(`create index "alert_episode_rule_index" on "alert_episode" ("organization_id", "rule_id", "id");`);
    this.addSql(`alter table "alert_episode" add constraint "alert_episode_closed_with_reason" check ((closed_at is null) = (closed_reason is null));`);
    this.addSql(`alter table "alert_episode" add constraint "alert_episode_severity_check" check ("severity" in ('WARNING', 'CRITICAL'));`);
    this.addSql(`alter table "alert_episode" add constraint "alert_episode_closed_reason_check" check ("closed_reason" in ('RECOVERED', 'ACCEPTED', 'NOT_APPLICABLE', 'PERIOD_ENDED', 'RULE_CHANGED', 'RULE_DELETED'));`);

    this.addSql(`create table "alert_rule" ("organization_id" uuid not null, "id" uuid not null, "kind" text not null, "name" text not null, "parameters" jsonb not null, "scope" text not null, "channel_ids" text[] not null, "is_built_in" boolean not null, "muted" boolean not null, "muted_until" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "created_by" uuid null, "deleted_at" timestamptz(3) null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "alert_state" ("organization_id" uuid not null, "rule_id" uuid not null, "group_key" text not null, "state" text not null, "counters" jsonb not null, "judged_through" timestamptz(3) null, "updated_at" timestamptz(3) not null, primary key ("organization_id", "rule_id", "group_key"));`);
    this.addSql(`alter table "alert_state" add constraint "alert_state_state_check" check ("state" in ('ok', 'pending', 'firing'));`);

    this.addSql(`create table "audit_record" ("organization_id" uuid not null, "id" uuid not null, "at" timestamptz(3) not null, "act" text not null, "actor_kind" text not null, "account_user_id" uuid null, "credential_id" uuid null, "subject_id" text null, "detail" text null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "export_delivery" ("organization_id" uuid not null, "id" uuid not null, "schedule_id" uuid not null, "report_table" text not null, "period" text not null, "created_at" timestamptz(3) not null, "due_at" timestamptz(3) null, "lease_until" timestamptz(3) null, "attempts" int not null, "delivered_at" timestamptz(3) null, "rows" bigint null, "bytes" bigint null, "sha256" text null, "manifest_key" text null, "last_error" text null, primary key ("organization_id", "id"));`);
    this.addSql(`create index export_delivery_due_index on export_delivery (due_at) where due_at is not null;`);
    this.addSql(`create index export_delivery_lease_index on export_delivery (organization_id) where lease_until is not null;`);
    this.addSql(`create index "export_delivery_schedule_index" on "export_delivery" ("organization_id", "schedule_id", "period", "id");`);

    this.addSql(`create table "export_schedule" ("organization_id" uuid not null, "id" uuid not null, "name" text not null, "tables" text[] not null, "format" text not null, "period" text not null, "grain" text null, "version" text null, "endpoint" text null, "region" text not null, "bucket" text not null, "prefix" text not null, "access_key_id" text not null, "sealed_secret" bytea null, "channel_ids" text[] not null, "next_period_start" timestamptz(3) not null, "due_at" timestamptz(3) null, "last_error" text null, "stopped_reason" text null, "tested_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "updated_by" uuid null, "closings_checked_at" timestamptz(3) null, "costs_open_from" text null, "revenue_open_from" text null, primary key ("organization_id", "id"));`);
    this.addSql(`create index export_schedule_due_index on export_schedule (due_at) where due_at is not null;`);
    this.addSql(`alter table "export_schedule" add constraint "export_schedule_format_check" check ("format" in ('CSV', 'JSONL', 'PARQUET'));`);
    this.addSql(`alter table "export_schedule" add constraint "export_schedule_period_check" check ("period" in ('DAY', 'MONTH'));`);

    this.addSql(`create table "note" ("organization_id" uuid not null, "id" uuid not null, "day" date null, "episode_id" uuid null, "text" text not null, "written_at" timestamptz(3) not null, "written_by" uuid null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "note_day_index" on "note" ("organization_id", "day");`);
    this.addSql(`create index "note_episode_index" on "note" ("organization_id", "episode_id");`);
    this.addSql(`alter table "note" add constraint "note_of_day_or_episode" check ((day is null) <> (episode_id is null));`);

    this.addSql(`create table "organization_place" ("organization_id" uuid not null, "first_seen_at" timestamptz(3) not null, "due_at" timestamptz(3) not null, "daily_due_at" timestamptz(3) not null, "waiting_for" text null, "evaluated_at" timestamptz(3) null, "attempt" int not null, primary key ("organization_id"));`);
    this.addSql(`create index "organization_place_due_index" on "organization_place" ("due_at");`);

    this.addSql(`create table "saved_view" ("organization_id" uuid not null, "id" uuid not null, "name" text not null, "path" text not null, "only_for" uuid null, "saved_at" timestamptz(3) not null, "saved_by" uuid null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "saved_view_only_for_index" on "saved_view" ("organization_id", "only_for");`);

    this.addSql(`create table "statement_schedule" ("organization_id" uuid not null, "period" text not null, "channel_ids" text[] not null, "period_start" timestamptz(3) not null, "due_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "updated_by" uuid null, primary key ("organization_id", "period"));`);
    this.addSql(`create index "statement_schedule_due_index" on "statement_schedule" ("due_at");`);
    this.addSql(`alter table "statement_schedule" add constraint "statement_schedule_period_check" check ("period" in ('WEEK', 'MONTH'));`);

    this.addSql(`alter table "alert_attempt" enable row level security;`);
    this.addSql(`alter table "alert_attempt" force row level security;`);
    this.addSql(`create policy "organization" on "alert_attempt" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "alert_attempt" to "alerting_jobs" using (true) with check (true);`);
    this.addSql(`alter table "alert_channel" enable row level security;`);
    this.addSql(`alter table "alert_channel" force row level security;`);
    this.addSql(`create policy "organization" on "alert_channel" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "alert_channel" to "alerting_jobs" using (true) with check (true);`);
    this.addSql(`alter table "alert_delivery" enable row level security;`);
    this.addSql(`alter table "alert_delivery" force row level security;`);
    this.addSql(`create policy "organization" on "alert_delivery" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "alert_delivery" to "alerting_jobs" using (true) with check (true);`);
    this.addSql(`alter table "alert_episode" enable row level security;`);
    this.addSql(`alter table "alert_episode" force row level security;`);
    this.addSql(`create policy "organization" on "alert_episode" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "alert_episode" to "alerting_jobs" using (true) with check (true);`);
    this.addSql(`alter table "alert_rule" enable row level security;`);
    this.addSql(`alter table "alert_rule" force row level security;`);
    this.addSql(`create policy "organization" on "alert_rule" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "alert_rule" to "alerting_jobs" using (true) with check (true);`);
    this.addSql(`alter table "alert_state" enable row level security;`);
    this.addSql(`alter table "alert_state" force row level security;`);
    this.addSql(`create policy "organization" on "alert_state" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "alert_state" to "alerting_jobs" using (true) with check (true);`);
    this.addSql(`alter table "audit_record" enable row level security;`);
    this.addSql(`alter table "audit_record" force row level security;`);
    this.addSql(`create policy "organization" on "audit_record" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "audit_record" to "alerting_jobs" using (true) with check (true);`);
    this.addSql(`alter table "export_delivery" enable row level security;`);
    this.addSql(`alter table "export_delivery" force row level security;`);
    this.addSql(`create policy "organization" on "export_delivery" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "export_delivery" to "alerting_jobs" using (true) with check (true);`);
    this.addSql(`alter table "export_schedule" enable row level security;`);
    this.addSql(`alter table "export_schedule" force row level security;`);
    this.addSql(`create policy "organization" on "export_schedule" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "export_schedule" to "alerting_jobs" using (true) with check (true);`);
    this.addSql(`alter table "note" enable row level security;`);
    this.addSql(`alter table "note" force row level security;`);
    this.addSql(`create policy "organization" on "note" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "note" to "alerting_jobs" using (true) with check (true);`);
    this.addSql(`alter table "organization_place" enable row level security;`);
    this.addSql(`alter table "organization_place" force row level security;`);
    this.addSql(`create policy "organization" on "organization_place" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "organization_place" to "alerting_jobs" using (true) with check (true);`);
    this.addSql(`alter table "saved_view" enable row level security;`);
    this.addSql(`alter table "saved_view" force row level security;`);
    this.addSql(`create policy "organization" on "saved_view" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "saved_view" to "alerting_jobs" using (true) with check (true);`);
    this.addSql(`alter table "statement_schedule" enable row level security;`);
    this.addSql(`alter table "statement_schedule" force row level security;`);
    this.addSql(`create policy "organization" on "statement_schedule" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "statement_schedule" to "alerting_jobs" using (true) with check (true);`);
  }

}
