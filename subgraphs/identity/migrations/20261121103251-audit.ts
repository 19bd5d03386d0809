import { Migration } from '@mikro-orm/migrations';

export class Migration20261121103251_audit extends Migration {

  override name = 'Migration20261121103251_audit';

  override up(): void | Promise<void> {
    this.addSql(`drop policy "jobs" on "audit_record";`);
    this.addSql(`drop policy "organization" on "audit_record";`);
    this.addSql(`alter table "audit_record" add "credential_id" uuid null;`);
    this.addSql(`alter table "audit_record" alter column "subject_id" type text using ("subject_id"::text);`);
    this.addSql(`create policy "jobs" on "audit_record" to "identity_jobs" using (true) with check (true);`);
    this.addSql(`create policy "organization" on "audit_record" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop policy "organization" on "audit_record";`);
    this.addSql(`drop policy "jobs" on "audit_record";`);

    this.addSql(`alter table "audit_record" drop column "credential_id";`);
    this.addSql(`alter table "audit_record" alter column "subject_id" type uuid using ("subject_id"::text::uuid);`);
    this.addSql(`create policy "organization" on "audit_record" to "identity_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "audit_record" to "identity_jobs" using (true) with check (true);`);
  }

}
