import { Migration } from '@mikro-orm/migrations';

export class Migration20261123072243_homes extends Migration {

  override name = 'Migration20261123072243_homes';

  override up(): void | Promise<void> {
    this.addSql(`create table "organization_home" ("organization_id" uuid not null, primary key ("organization_id"));`);

    this.addSql(`alter table "organization_home" enable row level security;`);
    this.addSql(`alter table "organization_home" force row level security;`);
    this.addSql(`create policy "organization" on "organization_home" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "organization_home" to "attribution_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "organization_home" cascade;`);
  }

}
