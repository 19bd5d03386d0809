import { Migration } from '@mikro-orm/migrations';

export class Migration20261121103259_audit extends Migration {

  override name = 'Migration20261121103259_audit';

  override up(): void | Promise<void> {
    this.addSql(`create table "audit_record" ("organization_id" uuid not null, "id" uuid not null, "at" timestamptz(3) not null, "act" text not null, "actor_kind" text not null, "account_user_id" uuid null, "credential_id" uuid null, "subject_id" text null, "detail" text null, primary key ("organization_id", "id"));`);

    this.addSql(`alter table "audit_record" enable row level security;`);
    this.addSql(`alter table "audit_record" force row level security;`);
    this.addSql(`create policy "organization" on "audit_record" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "audit_record" to "revenue_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "audit_record" cascade;`);
  }

}
