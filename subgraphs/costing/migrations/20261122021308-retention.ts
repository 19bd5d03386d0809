import { Migration } from '@mikro-orm/migrations';

export class Migration20261122021308_retention extends Migration {

  override name = 'Migration20261122021308_retention';

  override up(): void | Promise<void> {
    this.addSql(`create table "metadata_retention" ("organization_id" uuid not null, "months" int null, "keep_dimensions" text[] not null, "done_until" uuid not null, "next_look_at" timestamptz(3) not null, primary key ("organization_id"));`);
    this.addSql(`create index "metadata_retention_look_index" on "metadata_retention" ("next_look_at");`);

    this.addSql(`alter table "metadata_retention" enable row level security;`);
    this.addSql(`alter table "metadata_retention" force row level security;`);
    this.addSql(`create policy "organization" on "metadata_retention" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "metadata_retention" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "metadata_retention" cascade;`);
  }

}
