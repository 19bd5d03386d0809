import { Migration } from '@mikro-orm/migrations';

export class Migration20261122014832_passkeys extends Migration {

  override name = 'Migration20261122014832_passkeys';

  override up(): void | Promise<void> {
    this.addSql(`create table "passkey" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "credential_id" text not null, "public_key" bytea not null, "counter" bigint not null, "transports" text[] not null, "is_synced" boolean not null, "name" text not null, "created_at" timestamptz(3) not null, "last_used_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "passkey_account_user_index" on "passkey" ("organization_id", "account_user_id");`);
    this.addSql(`alter table "passkey" add constraint "passkey_credential_id_unique" unique ("credential_id");`);

    this.addSql(`create table "passkey_challenge" ("challenge_hash" bytea not null, "purpose" text not null, "subject_id" uuid null, "expires_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, primary key ("challenge_hash"));`);

    this.addSql(`alter table "passkey" enable row level security;`);
    this.addSql(`alter table "passkey" force row level security;`);
    this.addSql(`create policy "organization" on "passkey" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "passkey" to "identity_jobs" using (true) with check (true);`);

    this.addSql(`alter table "passkey_challenge" add constraint "passkey_challenge_purpose_check" check ("purpose" in ('add', 'sign-in', 'second-step'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "passkey" cascade;`);
    this.addSql(`drop table if exists "passkey_challenge" cascade;`);
  }

}
