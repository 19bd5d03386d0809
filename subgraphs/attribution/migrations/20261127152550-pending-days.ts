import { Migration } from '@mikro-orm/migrations';

export class Migration20261127152550_pending_days extends Migration {

  override name = 'Migration20261127152550_pending_days';

  override up(): void | Promise<void> {
    this.addSql(`create table "pending_day" ("organization_id" uuid not null, "day" date not null, "arrival" bigint not null, "facts" int not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "day"));`);

    this.addSql(`create index "cost_fact_arrival_index" on "cost_fact" ("organization_id", "arrival");`);

    this.addSql(`alter table "pending_day" enable row level security;`);
    this.addSql(`alter table "pending_day" force row level security;`);
    this.addSql(`create policy "organization" on "pending_day" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "pending_day" to "attribution_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "pending_day" cascade;`);

    this.addSql(`drop index "cost_fact_arrival_index";`);
  }

}
