import { Migration } from '@mikro-orm/migrations';

export class Migration20261121094047_first extends Migration {

  override name = 'Migration20261121094047_first';

  override up(): void | Promise<void> {
    this.addSql(`create table "account_user" ("organization_id" uuid not null, "id" uuid not null, "email" varchar(254) not null, "password_hash" text not null, "role" text not null, "created_at" timestamptz(3) not null, primary key ("organization_id", "id"));`);
    this.addSql(`alter table "account_user" add constraint "account_user_email_unique" unique ("email");`);

    this.addSql(`create table "api_key" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "hash" bytea not null, "name" varchar(255) not null, "description" text null, "environment" text not null, "scopes" text[] not null, "sealed" bytea null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "api_key_id_index" on "api_key" ("id");`);
    this.addSql(`alter table "api_key" add constraint "api_key_hash_unique" unique ("hash");`);

    this.addSql(`create table "operator" ("id" uuid not null, "token_hash" bytea not null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`alter table "operator" add constraint "operator_token_hash_unique" unique ("token_hash");`);

    this.addSql(`create table "organization" ("organization_id" uuid not null, "name" varchar(255) not null, "created_at" timestamptz(3) not null, primary key ("organization_id"));`);

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

    this.addSql(`alter table "organization" enable row level security;`);
    this.addSql(`alter table "organization" force row level security;`);
    this.addSql(`create policy "organization" on "organization" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "organization" to "identity_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "account_user" cascade;`);
    this.addSql(`drop table if exists "api_key" cascade;`);
    this.addSql(`drop table if exists "operator" cascade;`);
    this.addSql(`drop table if exists "organization" cascade;`);
  }

}
