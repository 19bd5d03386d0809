import { Migration } from '@mikro-orm/migrations';

export class Migration20261122024529_closed_months extends Migration {

  override name = 'Migration20261122024529_closed_months';

  override up(): void | Promise<void> {
    this.addSql(`create table "revenue_closing" ("organization_id" uuid not null, "closed_until" timestamptz(3) null, primary key ("organization_id"));`);

    this.addSql(`alter table "revenue_record" add "recognized_from" timestamptz(3) null;`);
    this.addSql(`create index "revenue_record_late_index" on "revenue_record" ("organization_id", "recognized_from") where recognized_from is not null;`);

    this.addSql(`alter table "revenue_closing" enable row level security;`);
    this.addSql(`alter table "revenue_closing" force row level security;`);
    this.addSql(`create policy "organization" on "revenue_closing" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "revenue_closing" to "revenue_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "revenue_closing" cascade;`);

    this.addSql(`drop index "revenue_record_late_index";`);
    this.addSql(`alter table "revenue_record" drop column "recognized_from";`);
  }

}
