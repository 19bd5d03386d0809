import { Migration } from '@mikro-orm/migrations';

export class Migration20261121100724_first extends Migration {

  override name = 'Migration20261121100724_first';

  override up(): void | Promise<void> {
    this.addSql(`create table "account_user" ("organization_id" uuid not null, "id" uuid not null, "email" varchar(254) not null, "password_hash" text not null, "role" text not null, "created_at" timestamptz(3) not null, primary key ("organization_id", "id"));`);
    this.addSql(`alter table "account_user" add constraint "account_user_email_unique" unique ("email");`);

    this.addSql(`create table "api_key" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "hash" bytea not null, "name" text not null, "description" text null, "environment" text not null, "scopes" text[] not null, "sealed" bytea null, "created_at" timestamptz(3) not null, "created_by" uuid not null, "client_id" text null, "client_name" text null, "expires_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "api_key_id_index" on "api_key" ("id");`);
    this.addSql(`alter table "api_key" add constraint "api_key_hash_unique" unique ("hash");`);

    this.addSql(`create table "audit_record" ("organization_id" uuid not null, "id" uuid not null, "at" timestamptz(3) not null, "act" text not null, "actor_kind" text not null, "account_user_id" uuid null, "subject_id" uuid null, "detail" text null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "authorization_code" ("organization_id" uuid not null, "hash" bytea not null, "account_user_id" uuid not null, "client_id" uuid not null, "redirect_uri" text not null, "code_challenge" text not null, "scopes" text[] not null, "resource" text null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, "api_key_id" uuid null, primary key ("organization_id", "hash"));`);
    this.addSql(`alter table "authorization_code" add constraint "authorization_code_hash_unique" unique ("hash");`);

    this.addSql(`create table "authorization_request" ("organization_id" uuid not null, "id" uuid not null, "session_id" uuid not null, "account_user_id" uuid not null, "client_id" uuid not null, "client_name" text not null, "redirect_uri" text not null, "state" text null, "code_challenge" text not null, "scopes" text[] not null, "resource" text null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "decided_at" timestamptz(3) null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "device_login" ("id" uuid not null, "organization_id" uuid null, "account_user_id" uuid null, "session_id" uuid null, "device_code_hash" bytea not null, "user_code_hash" bytea not null, "client_id" text not null, "client_name" text not null, "machine_name" text not null, "interval_seconds" int not null, "next_poll_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "decision" text null, "consumed_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`alter table "device_login" add constraint "device_login_device_code_unique" unique ("device_code_hash");`);
    this.addSql(`alter table "device_login" add constraint "device_login_user_code_unique" unique ("user_code_hash");`);

    this.addSql(`create table "oauth_client" ("id" uuid not null, "name" text not null, "redirect_uris" text[] not null, "grant_types" text[] not null, "created_at" timestamptz(3) not null, "last_used_at" timestamptz(3) null, primary key ("id"));`);

    this.addSql(`create table "operator" ("id" uuid not null, "token_hash" bytea not null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`alter table "operator" add constraint "operator_token_hash_unique" unique ("token_hash");`);

    this.addSql(`create table "organization" ("organization_id" uuid not null, "name" varchar(255) not null, "created_at" timestamptz(3) not null, primary key ("organization_id"));`);

    this.addSql(`create table "recovery_code" ("organization_id" uuid not null, "account_user_id" uuid not null, "hash" bytea not null, "used_at" timestamptz(3) null, primary key ("organization_id", "account_user_id", "hash"));`);

    this.addSql(`create table "second_factor" ("organization_id" uuid not null, "account_user_id" uuid not null, "sealed" bytea not null, "created_at" timestamptz(3) not null, "confirmed_at" timestamptz(3) null, "last_step" int not null, primary key ("organization_id", "account_user_id"));`);

    this.addSql(`create table "session" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "token_hash" bytea not null, "signed_in_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "ended_at" timestamptz(3) null, "address" text not null, "user_agent" text not null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "session_account_user_index" on "session" ("organization_id", "account_user_id");`);
    this.addSql(`alter table "session" add constraint "session_token_hash_unique" unique ("token_hash");`);

    this.addSql(`create table "sign_in_attempt" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "token_hash" bytea not null, "guesses" int not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`alter table "sign_in_attempt" add constraint "sign_in_attempt_token_hash_unique" unique ("token_hash");`);

    this.addSql(`create table "throttle" ("subject" bytea not null, "count" int not null, "since" timestamptz(3) not null, "last_at" timestamptz(3) not null, "blocked_until" timestamptz(3) null, primary key ("subject"));`);

    this.addSql(`alter table "account_user" add constraint "account_user_role_check" check ("role" in ('owner', 'admin', 'member'));`);
    this.addSql(`alter table "account_user" enable row level security;`);
    this.addSql(`alter table "account_user" force row level security;`);
    this.addSql(`create policy "organization" on "account_user" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "account_user" to "identity_jobs" using (true) with check (true);`);

    this.addSql(`alter table "api_key" add constraint "api_key_live_is_never_sealed" check (sealed is null or environment = 'test');`);
    this.addSql(`alter table "api_key" add constraint "api_key_environment_check" check ("environment" in ('live', 'test'));`);
    this.addSql(`alter table "api_key" enable row level security;`);
    this.addSql(`alter table "api_key" force row level security;`);
    this.addSql(`create policy "organization" on "api_key" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "api_key" to "identity_jobs" using (true) with check (true);`);

    this.addSql(`alter table "audit_record" enable row level security;`);
    this.addSql(`alter table "audit_record" force row level security;`);
    this.addSql(`create policy "organization" on "audit_record" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "audit_record" to "identity_jobs" using (true) with check (true);`);

    this.addSql(`alter table "authorization_code" enable row level security;`);
    this.addSql(`alter table "authorization_code" force row level security;`);
    this.addSql(`create policy "organization" on "authorization_code" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "authorization_code" to "identity_jobs" using (true) with check (true);`);

    this.addSql(`alter table "authorization_request" enable row level security;`);
    this.addSql(`alter table "authorization_request" force row level security;`);
    this.addSql(`create policy "organization" on "authorization_request" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "authorization_request" to "identity_jobs" using (true) with check (true);`);

    this.addSql(`alter table "device_login" add constraint "device_login_decision_check" check ("decision" in ('approved', 'denied'));`);
    this.addSql(`alter table "device_login" enable row level security;`);
    this.addSql(`alter table "device_login" force row level security;`);
    this.addSql(`create policy "organization" on "device_login" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "device_login" to "identity_jobs" using (true) with check (true);`);

    this.addSql(`alter table "organization" enable row level security;`);
    this.addSql(`alter table "organization" force row level security;`);
    this.addSql(`create policy "organization" on "organization" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "organization" to "identity_jobs" using (true) with check (true);`);

    this.addSql(`alter table "recovery_code" enable row level security;`);
    this.addSql(`alter table "recovery_code" force row level security;`);
    this.addSql(`create policy "organization" on "recovery_code" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "recovery_code" to "identity_jobs" using (true) with check (true);`);

    this.addSql(`alter table "second_factor" enable row level security;`);
    this.addSql(`alter table "second_factor" force row level security;`);
    this.addSql(`create policy "organization" on "second_factor" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "second_factor" to "identity_jobs" using (true) with check (true);`);

    this.addSql(`alter table "session" enable row level security;`);
    this.addSql(`alter table "session" force row level security;`);
    this.addSql(`create policy "organization" on "session" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "session" to "identity_jobs" using (true) with check (true);`);

    this.addSql(`alter table "sign_in_attempt" enable row level security;`);
    this.addSql(`alter table "sign_in_attempt" force row level security;`);
    this.addSql(`create policy "organization" on "sign_in_attempt" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "sign_in_attempt" to "identity_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "account_user" cascade;`);
    this.addSql(`drop table if exists "api_key" cascade;`);
    this.addSql(`drop table if exists "audit_record" cascade;`);
    this.addSql(`drop table if exists "authorization_code" cascade;`);
    this.addSql(`drop table if exists "authorization_request" cascade;`);
    this.addSql(`drop table if exists "device_login" cascade;`);
    this.addSql(`drop table if exists "oauth_client" cascade;`);
    this.addSql(`drop table if exists "operator" cascade;`);
    this.addSql(`drop table if exists "organization" cascade;`);
    this.addSql(`drop table if exists "recovery_code" cascade;`);
    this.addSql(`drop table if exists "second_factor" cascade;`);
    this.addSql(`drop table if exists "session" cascade;`);
    this.addSql(`drop table if exists "sign_in_attempt" cascade;`);
    this.addSql(`drop table if exists "throttle" cascade;`);
  }

}
