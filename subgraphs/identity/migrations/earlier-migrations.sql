-- The migrations from before version 1.0, which one migration, `version-1`, replaced. They bring a database or a backup of that
-- time to the same schema. Each begins with `-- migration NAME`; a blank line separates its statements.

-- migration 20261121100724-first

create table "account_user" ("organization_id" uuid not null, "id" uuid not null, "email" varchar(254) not null, "password_hash" text not null, "role" text not null, "created_at" timestamptz(3) not null, primary key ("organization_id", "id"));

alter table "account_user" add constraint "account_user_email_unique" unique ("email");

create table "api_key" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "hash" bytea not null, "name" text not null, "description" text null, "environment" text not null, "scopes" text[] not null, "sealed" bytea null, "created_at" timestamptz(3) not null, "created_by" uuid not null, "client_id" text null, "client_name" text null, "expires_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, primary key ("organization_id", "id"));

create index "api_key_id_index" on "api_key" ("id");

alter table "api_key" add constraint "api_key_hash_unique" unique ("hash");

create table "audit_record" ("organization_id" uuid not null, "id" uuid not null, "at" timestamptz(3) not null, "act" text not null, "actor_kind" text not null, "account_user_id" uuid null, "subject_id" uuid null, "detail" text null, primary key ("organization_id", "id"));

create table "authorization_code" ("organization_id" uuid not null, "hash" bytea not null, "account_user_id" uuid not null, "client_id" uuid not null, "redirect_uri" text not null, "code_challenge" text not null, "scopes" text[] not null, "resource" text null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, "api_key_id" uuid null, primary key ("organization_id", "hash"));

alter table "authorization_code" add constraint "authorization_code_hash_unique" unique ("hash");

create table "authorization_request" ("organization_id" uuid not null, "id" uuid not null, "session_id" uuid not null, "account_user_id" uuid not null, "client_id" uuid not null, "client_name" text not null, "redirect_uri" text not null, "state" text null, "code_challenge" text not null, "scopes" text[] not null, "resource" text null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "decided_at" timestamptz(3) null, primary key ("organization_id", "id"));

create table "device_login" ("id" uuid not null, "organization_id" uuid null, "account_user_id" uuid null, "session_id" uuid null, "device_code_hash" bytea not null, "user_code_hash" bytea not null, "client_id" text not null, "client_name" text not null, "machine_name" text not null, "interval_seconds" int not null, "next_poll_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "decision" text null, "consumed_at" timestamptz(3) null, primary key ("id"));

alter table "device_login" add constraint "device_login_device_code_unique" unique ("device_code_hash");

alter table "device_login" add constraint "device_login_user_code_unique" unique ("user_code_hash");

create table "oauth_client" ("id" uuid not null, "name" text not null, "redirect_uris" text[] not null, "grant_types" text[] not null, "created_at" timestamptz(3) not null, "last_used_at" timestamptz(3) null, primary key ("id"));

create table "operator" ("id" uuid not null, "token_hash" bytea not null, "created_at" timestamptz(3) not null, primary key ("id"));

alter table "operator" add constraint "operator_token_hash_unique" unique ("token_hash");

create table "organization" ("organization_id" uuid not null, "name" varchar(255) not null, "created_at" timestamptz(3) not null, primary key ("organization_id"));

create table "recovery_code" ("organization_id" uuid not null, "account_user_id" uuid not null, "hash" bytea not null, "used_at" timestamptz(3) null, primary key ("organization_id", "account_user_id", "hash"));

create table "second_factor" ("organization_id" uuid not null, "account_user_id" uuid not null, "sealed" bytea not null, "created_at" timestamptz(3) not null, "confirmed_at" timestamptz(3) null, "last_step" int not null, primary key ("organization_id", "account_user_id"));

create table "session" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "token_hash" bytea not null, "signed_in_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "ended_at" timestamptz(3) null, "address" text not null, "user_agent" text not null, primary key ("organization_id", "id"));

create index "session_account_user_index" on "session" ("organization_id", "account_user_id");

alter table "session" add constraint "session_token_hash_unique" unique ("token_hash");

create table "sign_in_attempt" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "token_hash" bytea not null, "guesses" int not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, primary key ("organization_id", "id"));

alter table "sign_in_attempt" add constraint "sign_in_attempt_token_hash_unique" unique ("token_hash");

create table "throttle" ("subject" bytea not null, "count" int not null, "since" timestamptz(3) not null, "last_at" timestamptz(3) not null, "blocked_until" timestamptz(3) null, primary key ("subject"));

alter table "account_user" add constraint "account_user_role_check" check ("role" in ('owner', 'admin', 'member'));

alter table "account_user" enable row level security;

alter table "account_user" force row level security;

create policy "organization" on "account_user" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "account_user" to "identity_jobs" using (true) with check (true);

alter table "api_key" add constraint "api_key_live_is_never_sealed" check (sealed is null or environment = 'test');

alter table "api_key" add constraint "api_key_environment_check" check ("environment" in ('live', 'test'));

alter table "api_key" enable row level security;

alter table "api_key" force row level security;

create policy "organization" on "api_key" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "api_key" to "identity_jobs" using (true) with check (true);

alter table "audit_record" enable row level security;

alter table "audit_record" force row level security;

create policy "organization" on "audit_record" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "audit_record" to "identity_jobs" using (true) with check (true);

alter table "authorization_code" enable row level security;

alter table "authorization_code" force row level security;

create policy "organization" on "authorization_code" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "authorization_code" to "identity_jobs" using (true) with check (true);

alter table "authorization_request" enable row level security;

alter table "authorization_request" force row level security;

create policy "organization" on "authorization_request" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "authorization_request" to "identity_jobs" using (true) with check (true);

alter table "device_login" add constraint "device_login_decision_check" check ("decision" in ('approved', 'denied'));

alter table "device_login" enable row level security;

alter table "device_login" force row level security;

create policy "organization" on "device_login" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "device_login" to "identity_jobs" using (true) with check (true);

alter table "organization" enable row level security;

alter table "organization" force row level security;

create policy "organization" on "organization" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "organization" to "identity_jobs" using (true) with check (true);

alter table "recovery_code" enable row level security;

alter table "recovery_code" force row level security;

create policy "organization" on "recovery_code" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "recovery_code" to "identity_jobs" using (true) with check (true);

alter table "second_factor" enable row level security;

alter table "second_factor" force row level security;

create policy "organization" on "second_factor" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "second_factor" to "identity_jobs" using (true) with check (true);

alter table "session" enable row level security;

alter table "session" force row level security;

create policy "organization" on "session" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "session" to "identity_jobs" using (true) with check (true);

alter table "sign_in_attempt" enable row level security;

alter table "sign_in_attempt" force row level security;

create policy "organization" on "sign_in_attempt" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "sign_in_attempt" to "identity_jobs" using (true) with check (true);

-- migration 20261121103251-audit

drop policy "jobs" on "audit_record";

drop policy "organization" on "audit_record";

alter table "audit_record" add "credential_id" uuid null;

alter table "audit_record" alter column "subject_id" type text using ("subject_id"::text);

create policy "jobs" on "audit_record" to "identity_jobs" using (true) with check (true);

create policy "organization" on "audit_record" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

-- migration 20261121221945-secrets-and-operators

create table "recovery_code_key" ("id" uuid not null, "sealed" bytea not null, "is_current" boolean not null, "derived_from" text null, "created_at" timestamptz(3) not null, primary key ("id"));

alter table "operator" add "name" text not null default 'first-run', add "created_by" uuid null, add "last_used_at" timestamptz(3) null, add "revoked_at" timestamptz(3) null;

-- An existing operator was created by the first start.
alter table "operator" alter column "name" drop default;

-- migration 20261121222705-people

create table "invitation" ("organization_id" uuid not null, "id" uuid not null, "email" varchar(254) not null, "role" text not null, "token_hash" bytea not null, "invited_by" uuid null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "accepted_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, primary key ("organization_id", "id"));

alter table "invitation" add constraint "invitation_token_hash_unique" unique ("token_hash");

create table "password_reset" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "token_hash" bytea not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, primary key ("organization_id", "id"));

alter table "password_reset" add constraint "password_reset_token_hash_unique" unique ("token_hash");

alter table "account_user" add "disabled_at" timestamptz(3) null;

alter table "device_login" add "address" text null;

-- Addresses are looked up in NFC from now on. If the NFC form belongs to another account, the address stays as it is
-- and can no longer be used to sign in: two people cannot share one.
grant select, update on "account_user" to "identity_jobs";

set local role "identity_jobs";

update "account_user" set "email" = normalize("email", nfc) where "email" is not nfc normalized and not exists (select 1 from "account_user" other where other."email" = normalize("account_user"."email", nfc));

reset role;

alter table "invitation" add constraint "invitation_role_check" check ("role" in ('owner', 'admin', 'member'));

alter table "invitation" enable row level security;

alter table "invitation" force row level security;

create policy "organization" on "invitation" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "invitation" to "identity_jobs" using (true) with check (true);

alter table "password_reset" enable row level security;

alter table "password_reset" force row level security;

create policy "organization" on "password_reset" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "password_reset" to "identity_jobs" using (true) with check (true);

-- migration 20261121224235-key-of-recovery-code

alter table "recovery_code" add "key_id" uuid null;

-- migration 20261122014832-passkeys

create table "passkey" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "credential_id" text not null, "public_key" bytea not null, "counter" bigint not null, "transports" text[] not null, "is_synced" boolean not null, "name" text not null, "created_at" timestamptz(3) not null, "last_used_at" timestamptz(3) null, primary key ("organization_id", "id"));

create index "passkey_account_user_index" on "passkey" ("organization_id", "account_user_id");

alter table "passkey" add constraint "passkey_credential_id_unique" unique ("credential_id");

create table "passkey_challenge" ("challenge_hash" bytea not null, "purpose" text not null, "subject_id" uuid null, "expires_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, primary key ("challenge_hash"));

alter table "passkey" enable row level security;

alter table "passkey" force row level security;

create policy "organization" on "passkey" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);

create policy "jobs" on "passkey" to "identity_jobs" using (true) with check (true);

alter table "passkey_challenge" add constraint "passkey_challenge_purpose_check" check ("purpose" in ('add', 'sign-in', 'second-step'));

-- migration 20261122021319-deleted-organizations

alter table "organization" add "deleted_at" timestamptz(3) null;

-- migration 20261122022303-required-second-factor

alter table "organization" add "second_factor_required_at" timestamptz(3) null;

-- migration 20261122081350-unsigned-writes

alter table "api_key" add "may_write_unsigned" boolean not null default false;

-- migration 20261122211025-sample-data

alter table "organization" add "sample_of" uuid null;

alter table "organization" add constraint "organization_sample_of_unique" unique ("sample_of");

alter table "session" add "is_in_sample" boolean not null default false;

-- migration 20261126202210-issuer-of-password-reset

alter table "password_reset" add "issued_by" uuid null;

-- The issuer of the open links is unknown. They were valid for a day at most.
grant select, update on "password_reset" to "identity_jobs";

set local role "identity_jobs";

update "password_reset" set "consumed_at" = now() where "consumed_at" is null;

reset role;

-- migration 20261127045753-version-1

-- migration 20261127100058-finance-and-viewer

alter table "account_user" drop constraint "account_user_role_check";

alter table "account_user" add constraint "account_user_role_check" check ("role" in ('owner', 'admin', 'member', 'finance', 'viewer'));

alter table "invitation" drop constraint "invitation_role_check";

alter table "invitation" add constraint "invitation_role_check" check ("role" in ('owner', 'admin', 'member', 'finance', 'viewer'));

-- migration 20261128074711-fiscal-year

alter table "organization" add "fiscal_year_start" smallint not null default 1;

alter table "organization" add constraint "organization_fiscal_year_start" check (fiscal_year_start >= 1 and fiscal_year_start <= 12);
