import { Migration } from '@mikro-orm/migrations';

export class Migration20261122062002_unknown_fields extends Migration {

  override name = 'Migration20261122062002_unknown_fields';

  override up(): void | Promise<void> {
    this.addSql(`create table "unknown_field" ("organization_id" uuid not null, "name" text not null, "first_seen_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, primary key ("organization_id", "name"));`);

    this.addSql(`alter table "unknown_field" enable row level security;`);
    this.addSql(`alter table "unknown_field" force row level security;`);
    this.addSql(`create policy "organization" on "unknown_field" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "unknown_field" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "unknown_field" cascade;`);
  }

}
