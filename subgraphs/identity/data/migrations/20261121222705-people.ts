import { Migration } from '@mikro-orm/migrations';

export class Migration20261121222705_people extends Migration {

  override name = 'Migration20261121222705_people';

  override up(): void | Promise<void> {
    this.addSql(`create table "invitation" ("organization_id" uuid not null, "id" uuid not null, "email" varchar(254) not null, "role" text not null, "token_hash" bytea not null, "invited_by" uuid null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "accepted_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`alter table "invitation" add constraint "invitation_token_hash_unique" unique ("token_hash");`);

    this.addSql(`create table "password_reset" ("organization_id" uuid not null, "id" uuid not null, "account_user_id" uuid not null, "token_hash" bytea not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`alter table "password_reset" add constraint "password_reset_token_hash_unique" unique ("token_hash");`);

    this.addSql(`alter table "account_user" add "disabled_at" timestamptz(3) null;`);

    this.addSql(`alter table "device_login" add "address" text null;`);

    // Addresses are looked up in NFC from now on. One whose NFC is another account's stays as it is and opens nothing: two people cannot share one.
    this.addSql(`grant select, update on "account_user" to "identity_jobs";`);
    this.addSql(`set local role "identity_jobs";`);
    this.addSql(`update "account_user" set "email" = normalize("email", nfc) where "email" is not nfc normalized and not exists (select 1 from "account_user" other where other."email" = normalize("account_user"."email", nfc));`);
    this.addSql(`reset role;`);

    this.addSql(`alter table "invitation" add constraint "invitation_role_check" check ("role" in ('owner', 'admin', 'member'));`);
    this.addSql(`alter table "invitation" enable row level security;`);
    this.addSql(`alter table "invitation" force row level security;`);
    this.addSql(`create policy "organization" on "invitation" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "invitation" to "identity_jobs" using (true) with check (true);`);

    this.addSql(`alter table "password_reset" enable row level security;`);
    this.addSql(`alter table "password_reset" force row level security;`);
    this.addSql(`create policy "organization" on "password_reset" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "password_reset" to "identity_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "invitation" cascade;`);
    this.addSql(`drop table if exists "password_reset" cascade;`);

    this.addSql(`alter table "account_user" drop column "disabled_at";`);

    this.addSql(`alter table "device_login" drop column "address";`);
  }

}
