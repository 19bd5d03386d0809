import { Migration } from '@mikro-orm/migrations';

export class Migration20261127141904_statement_schedules extends Migration {

  override name = 'Migration20261127141904_statement_schedules';

  override up(): void | Promise<void> {
    this.addSql(`create table "statement_schedule" ("organization_id" uuid not null, "period" text not null, "channel_ids" text[] not null, "period_start" timestamptz(3) not null, "due_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "updated_by" uuid null, primary key ("organization_id", "period"));`);
    this.addSql(`create index "statement_schedule_due_index" on "statement_schedule" ("due_at");`);

    this.addSql(`alter table "statement_schedule" add constraint "statement_schedule_period_check" check ("period" in ('WEEK', 'MONTH'));`);
    this.addSql(`alter table "statement_schedule" enable row level security;`);
    this.addSql(`alter table "statement_schedule" force row level security;`);
    this.addSql(`create policy "organization" on "statement_schedule" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "statement_schedule" to "alerting_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "statement_schedule" cascade;`);
  }

}
