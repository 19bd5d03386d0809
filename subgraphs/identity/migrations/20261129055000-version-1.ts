import { Migration } from '@mikro-orm/migrations';

/** The whole schema of version 1.0. `earlier-migrations.sql` leads older databases to the same schema. */
export class Migration20261129055000_version_1 extends Migration {

  override name = 'Migration20261129055000_version_1';

  override up(): void | Promise<void> {
    this.addSql(`create table "account_user" ("organization_id" uuid not null, "id" uuid not null, "email" varchar(254) not null, "password_hash" text not null, "role" text not null, "created_at" timestamptz(3) not null, "disabled_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`alter table "account_user" add constraint "account_user_email_unique" unique ("email");`);
    this.addSql(`alter table "account_user" add constraint "account_user_role_check" check ("role" in ('owner', 'admin', 'member', 'finance', 'viewer'));`);

    this.addSql(`create table "api_key" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "hash" bytea not null, "name" text not null, "description" text null, "environment" text not null, "scopes" text[] not null, "sealed" bytea null, "created_at" timestamptz(3) not null, "created_by" uuid not null, "client_id" text null, "client_name" text null, "expires_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, "may_write_unsigned" boolean not null default false, primary key ("organization_id", "id"));`);
    this.addSql(`create index "api_key_id_index" on "api_key" ("id");`);
    this.addSql(`alter table "api_key" add constraint "api_key_hash_unique" unique ("hash");`);
    this.addSql(`alter table "api_key" add constraint "api_key_live_is_never_sealed" check (sealed is null or environment = 'test');`);
    this.addSql(`alter table "api_key" add constraint "api_key_environment_check" check ("environment" in ('live', 'test'));`);

    this.addSql(`create table "audit_record" ("organization_id" uuid not null, "id" uuid not null, "at" timestamptz(3) not null, "act" text not null, "actor_kind" text not null, "account_user_id" uuid null, "subject_id" text null, "detail" text null, "credential_id" uuid null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "authorization_code" ("organization_id" uuid not null, "hash" bytea not null, "account_user_id" uuid not null, "client_id" uuid not null, "redirect_uri" text not null, "code_challenge" text not null, "scopes" text[] not null, "resource" text null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, "api_key_id" uuid null, primary key ("organization_id", "hash"));`);
    this.addSql(`alter table "authorization_code" add constraint "authorization_code_hash_unique" unique ("hash");`);

    this.addSql(`create table "authorization_request" ("organization_id" uuid not null, "id" uuid not null, "session_id" uuid not null, "account_user_id" uuid not null, "client_id" uuid not null, "client_name" text not null, "redirect_uri" text not null, "state" text null, "code_challenge" text not null, "scopes" text[] not null, "resource" text null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "decided_at" timestamptz(3) null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "device_login" ("id" uuid not null, "organization_id" uuid null, "account_user_id" uuid null, "session_id" uuid null, "device_code_hash" bytea not null, "user_code_hash" bytea not null, "client_id" text not null, "client_name" text not null, "machine_name" text not null, "interval_seconds" int not null, "next_poll_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "decision" text null, "consumed_at" timestamptz(3) null, "address" text null, primary key ("id"));`);
    this.addSql(`alter table "device_login" add constraint "device_login_device_code_unique" unique ("device_code_hash");`);
    this.addSql(`alter table "device_login" add constraint "device_login_user_code_unique" unique ("user_code_hash");`);
    this.addSql(`alter table "device_login" add constraint "device_login_decision_check" check ("decision" in ('approved', 'denied'));`);

    this.addSql(`create table "invitation" ("organization_id" uuid not null, "id" uuid not null, "email" varchar(254) not null, "role" text not null, "token_hash" bytea not null, "invited_by" uuid null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "accepted_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`alter table "invitation" add constraint "invitation_token_hash_unique" unique ("token_hash");`);
    this.addSql(`alter table "invitation" add constraint "invitation_role_check" check ("role" in ('owner', 'admin', 'member', 'finance', 'viewer'));`);

    this.addSql(`create table "oauth_client" ("id" uuid not null, "name" text not null, "redirect_uris" text[] not null, "grant_types" text[] not null, "created_at" timestamptz(3) not null, "last_used_at" timestamptz(3) null, primary key ("id"));`);

    this.addSql(`create table "operator" ("id" uuid not null, "token_hash" bytea not null, "created_at" timestamptz(3) not null, "name" text not null, "created_by" uuid null, "last_used_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`alter table "operator" add constraint "operator_token_hash_unique" unique ("token_hash");`);

    this.addSql(`create table "organization" ("organization_id" uuid not null, "name" varchar(255) not null, "created_at" timestamptz(3) not null, "deleted_at" timestamptz(3) null, "second_factor_required_at" timestamptz(3) null, "sample_of" uuid null, "fiscal_year_start" smallint not null default 1, primary key ("organization_id"));`);
    this.addSql(`alter table "organization" add constraint "organization_sample_of_unique" unique ("sample_of");`);
    this.addSql(`alter table "organization" add constraint "organization_fiscal_year_start" check (fiscal_year_start >= 1 and fiscal_year_start <= 12);`);

    this.addSql(`create table "passkey" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "credential_id" text not null, "public_key" bytea not null, "counter" bigint not null, "transports" text[] not null, "is_synced" boolean not null, "name" text not null, "created_at" timestamptz(3) not null, "last_used_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "passkey_account_user_index" on "passkey" ("organization_id", "account_user_id");`);
    this.addSql(`alter table "passkey" add constraint "passkey_credential_id_unique" unique ("credential_id");`);

    this.addSql(`create table "passkey_challenge" ("challenge_hash" bytea not null, "purpose" text not null, "subject_id" uuid null, "expires_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, primary key ("challenge_hash"));`);
    this.addSql(`alter table "passkey_challenge" add constraint "passkey_challenge_purpose_check" check ("purpose" in ('add', 'sign-in', 'second-step'));`);

    this.addSql(`create table "password_reset" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "token_hash" bytea not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, "issued_by" uuid null, primary key ("organization_id", "id"));`);
    this.addSql(`alter table "password_reset" add constraint "password_reset_token_hash_unique" unique ("token_hash");`);

    this.addSql(`create table "recovery_code" ("organization_id" uuid not null, "account_user_id" uuid not null, "hash" bytea not null, "used_at" timestamptz(3) null, "key_id" uuid null, primary key ("organization_id", "account_user_id", "hash"));`);

    this.addSql(`create table "recovery_code_key" ("id" uuid not null, "sealed" bytea not null, "is_current" boolean not null, "derived_from" text null, "created_at" timestamptz(3) not null, primary key ("id"));`);

    this.addSql(`create table "second_factor" ("organization_id" uuid not null, "account_user_id" uuid not null, "sealed" bytea not null, "created_at" timestamptz(3) not null, "confirmed_at" timestamptz(3) null, "last_step" int not null, primary key ("organization_id", "account_user_id"));`);

    this.addSql(`create table "session" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "token_hash" bytea not null, "signed_in_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "ended_at" timestamptz(3) null, "address" text not null, "user_agent" text not null, "is_in_sample" boolean not null default false, primary key ("organization_id", "id"));`);
    this.addSql(`create index "session_account_user_index" on "session" ("organization_id", "account_user_id");`);
    this.addSql(`alter table "session" add constraint "session_token_hash_unique" unique ("token_hash");`);

    this.addSql(`create table "sign_in_attempt" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "token_hash" bytea not null, "guesses" int not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`alter table "sign_in_attempt" add constraint "sign_in_attempt_token_hash_unique" unique ("token_hash");`);

    this.addSql(`create table "throttle" ("subject" bytea not null, "count" int not null, "since" timestamptz(3) not null, "last_at" timestamptz(3) not null, "blocked_until" timestamptz(3) null, primary key ("subject"));`);

    this.addSql(`alter table "account_user" enable row level security;`);
    this.addSql(`alter table "account_user" force row level security;`);
    this.addSql(`create policy "organization" on "account_user" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "account_user" to "identity_jobs" using (true) with check (true);`);
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
    this.addSql(`alter table "device_login" enable row level security;`);
    this.addSql(`alter table "device_login" force row level security;`);
    this.addSql(`create policy "organization" on "device_login" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "device_login" to "identity_jobs" using (true) with check (true);`);
    this.addSql(`alter table "invitation" enable row level security;`);
    this.addSql(`alter table "invitation" force row level security;`);
    this.addSql(`create policy "organization" on "invitation" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "invitation" to "identity_jobs" using (true) with check (true);`);
    this.addSql(`alter table "organization" enable row level security;`);
    this.addSql(`alter table "organization" force row level security;`);
    this.addSql(`create policy "organization" on "organization" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "organization" to "identity_jobs" using (true) with check (true);`);
    this.addSql(`alter table "passkey" enable row level security;`);
    this.addSql(`alter table "passkey" force row level security;`);
    this.addSql(`create policy "organization" on "passkey" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "passkey" to "identity_jobs" using (true) with check (true);`);
    this.addSql(`alter table "password_reset" enable row level security;`);
    this.addSql(`alter table "password_reset" force row level security;`);
    this.addSql(`create policy "organization" on "password_reset" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "password_reset" to "identity_jobs" using (true) with check (true);`);
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

}
