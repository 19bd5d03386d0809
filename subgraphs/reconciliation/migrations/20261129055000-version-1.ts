import { Migration } from '@mikro-orm/migrations';

/** The whole schema of version 1.0. `earlier-migrations.sql` leads older databases to the same schema. */
export class Migration20261129055000_version_1 extends Migration {

  override name = 'Migration20261129055000_version_1';

  override up(): void | Promise<void> {
    this.addSql(`create table "audit_record" ("organization_id" uuid not null, "id" uuid not null, "at" timestamptz(3) not null, "act" text not null, "actor_kind" text not null, "account_user_id" uuid null, "credential_id" uuid null, "subject_id" text null, "detail" text null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "bill_connection" ("organization_id" uuid not null, "id" uuid not null, "source" text not null, "name" text not null, "sealed_key" bytea null, "key_ending" text null, "api_base" text null, "untracked_scopes" text[] not null, "settle_hours" int not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "due_at" timestamptz(3) null, "pulled_at" timestamptz(3) null, "last_error" text null, "failures" int not null, primary key ("organization_id", "id"));`);
    this.addSql(`create index bill_connection_due_index on bill_connection (due_at) where due_at is not null;`);
    this.addSql(`alter table "bill_connection" add constraint "bill_connection_name_key" unique ("organization_id", "source", "name");`);

    this.addSql(`create table "bill_day" ("organization_id" uuid not null, "connection_id" uuid not null, "day" date not null, "part" text not null, "pull_id" uuid not null, "fetched_at" timestamptz(3) not null, "digest" text not null, "has_changed" boolean not null, primary key ("organization_id", "connection_id", "day", "part"));`);

    this.addSql(`create table "bill_fix" ("organization_id" uuid not null, "id" uuid not null, "connection_id" uuid not null, "kind" text not null, "day" date not null, "model" text null, "amount" numeric null, "scope" text null, "note" text not null, "rate_card_id" uuid null, "operation_id" uuid null, "applied_at" timestamptz(3) not null, "applied_by" uuid null, "reverted_at" timestamptz(3) null, "last_day" date not null, "unit" text null, "agreement_id" uuid null, "cause" text null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "bill_fix_day_index" on "bill_fix" ("organization_id", "connection_id", "day");`);
    this.addSql(`alter table "bill_fix" add constraint "bill_fix_kind_check" check ("kind" in ('ACCEPT', 'UNTRACK', 'RATE', 'DISCOUNT', 'ADJUST'));`);
    this.addSql(`alter table "bill_fix" add constraint "bill_fix_cause_check" check ("cause" in ('NOT_TRACKED'));`);

    this.addSql(`create table "bill_line" ("organization_id" uuid not null, "connection_id" uuid not null, "day" date not null, "part" text not null, "position" int not null, "pull_id" uuid not null, "last_day" date not null, "label" text not null, "provider" text not null, "kind" text not null, "rule_id" text null, "is_verified" boolean not null, "model" text null, "token_class" text null, "context" text null, "unit" text null, "quantity" numeric null, "list" numeric null, "discount" numeric null, "credit" numeric null, "tax" numeric null, "net" numeric null, "currency" text not null, "scopes" text[] not null, "digits" int not null, "row_count" int not null, primary key ("organization_id", "connection_id", "day", "part", "position"));`);
    this.addSql(`create index "bill_line_day_index" on "bill_line" ("organization_id", "day");`);

    this.addSql(`create table "bill_pull" ("organization_id" uuid not null, "id" uuid not null, "connection_id" uuid not null, "from_day" date not null, "to_day" date not null, "fetched_at" timestamptz(3) not null, "sha256" bytea not null, "line_count" int not null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "bill_pull_connection_index" on "bill_pull" ("organization_id", "connection_id", "id");`);

    this.addSql(`create table "bill_pull_part" ("organization_id" uuid not null, "pull_id" uuid not null, "part" int not null, "connection_id" uuid not null, "data" bytea not null, primary key ("organization_id", "pull_id", "part"));`);

    this.addSql(`create table "bill_upload" ("organization_id" uuid not null, "upload_id" uuid not null, "part" int not null, "created_at" timestamptz(3) not null, "data" bytea not null, primary key ("organization_id", "upload_id", "part"));`);
    this.addSql(`create index "bill_upload_created_index" on "bill_upload" ("created_at");`);

    this.addSql(`alter table "audit_record" enable row level security;`);
    this.addSql(`alter table "audit_record" force row level security;`);
    this.addSql(`create policy "organization" on "audit_record" to "reconciliation_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "audit_record" to "reconciliation_jobs" using (true) with check (true);`);
    this.addSql(`alter table "bill_connection" enable row level security;`);
    this.addSql(`alter table "bill_connection" force row level security;`);
    this.addSql(`create policy "organization" on "bill_connection" to "reconciliation_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "bill_connection" to "reconciliation_jobs" using (true) with check (true);`);
    this.addSql(`alter table "bill_day" enable row level security;`);
    this.addSql(`alter table "bill_day" force row level security;`);
    this.addSql(`create policy "organization" on "bill_day" to "reconciliation_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "bill_day" to "reconciliation_jobs" using (true) with check (true);`);
    this.addSql(`alter table "bill_fix" enable row level security;`);
    this.addSql(`alter table "bill_fix" force row level security;`);
    this.addSql(`create policy "organization" on "bill_fix" to "reconciliation_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "bill_fix" to "reconciliation_jobs" using (true) with check (true);`);
    this.addSql(`alter table "bill_line" enable row level security;`);
    this.addSql(`alter table "bill_line" force row level security;`);
    this.addSql(`create policy "organization" on "bill_line" to "reconciliation_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "bill_line" to "reconciliation_jobs" using (true) with check (true);`);
    this.addSql(`alter table "bill_pull" enable row level security;`);
    this.addSql(`alter table "bill_pull" force row level security;`);
    this.addSql(`create policy "organization" on "bill_pull" to "reconciliation_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "bill_pull" to "reconciliation_jobs" using (true) with check (true);`);
    this.addSql(`alter table "bill_pull_part" enable row level security;`);
    this.addSql(`alter table "bill_pull_part" force row level security;`);
    this.addSql(`create policy "organization" on "bill_pull_part" to "reconciliation_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "bill_pull_part" to "reconciliation_jobs" using (true) with check (true);`);
    this.addSql(`alter table "bill_upload" enable row level security;`);
    this.addSql(`alter table "bill_upload" force row level security;`);
    this.addSql(`create policy "organization" on "bill_upload" to "reconciliation_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "bill_upload" to "reconciliation_jobs" using (true) with check (true);`);
  }

}
