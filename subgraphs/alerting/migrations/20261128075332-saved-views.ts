import { Migration } from '@mikro-orm/migrations';

export class Migration20261128075332_saved_views extends Migration {

  override name = 'Migration20261128075332_saved_views';

  override up(): void | Promise<void> {
    this.addSql(`create table "saved_view" ("organization_id" uuid not null, "id" uuid not null, "name" text not null, "path" text not null, "only_for" uuid null, "saved_at" timestamptz(3) not null, "saved_by" uuid null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "saved_view_only_for_index" on "saved_view" ("organization_id", "only_for");`);

    this.addSql(`alter table "saved_view" enable row level security;`);
    this.addSql(`alter table "saved_view" force row level security;`);
    this.addSql(`create policy "organization" on "saved_view" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "saved_view" to "alerting_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "saved_view" cascade;`);
  }

}
