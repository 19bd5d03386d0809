import { Migration } from '@mikro-orm/migrations';

export class Migration20261122024245_closed_months extends Migration {

  override name = 'Migration20261122024245_closed_months';

  override up(): void | Promise<void> {
    this.addSql(`create table "cost_closing" ("organization_id" uuid not null, "closed_until" timestamptz(6) null, primary key ("organization_id"));`);

    this.addSql(`alter table "cost_entry" add "booked_time" timestamptz(6) null;`);
    this.addSql(`create index "cost_entry_booked_index" on "cost_entry" ("organization_id", "booked_time") where booked_time is not null;`);

    this.addSql(`alter table "cost_closing" enable row level security;`);
    this.addSql(`alter table "cost_closing" force row level security;`);
    this.addSql(`create policy "organization" on "cost_closing" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "cost_closing" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "cost_closing" cascade;`);

    this.addSql(`drop index "cost_entry_booked_index";`);
    this.addSql(`alter table "cost_entry" drop column "booked_time";`);
  }

}
