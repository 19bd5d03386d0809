import { Migration } from '@mikro-orm/migrations';

export class Migration20261128032248_cost_adjustments extends Migration {

  override name = 'Migration20261128032248_cost_adjustments';

  override up(): void | Promise<void> {
    this.addSql(`create table "cost_adjustment" ("organization_id" uuid not null, "id" uuid not null, "day" date not null, "booked_day" date not null, "provider" text not null, "model" text null, "amount" numeric(30,15) not null, "note" text not null, "reverses_id" uuid null, "recorded_at" timestamptz(6) not null default now(), "recorded_by" uuid null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "cost_adjustment_booked_index" on "cost_adjustment" ("organization_id", "booked_day");`);
    this.addSql(`alter table "cost_adjustment" add constraint "cost_adjustment_reverses_key" unique ("organization_id", "reverses_id");`);

    this.addSql(`alter table "cost_adjustment" enable row level security;`);
    this.addSql(`alter table "cost_adjustment" force row level security;`);
    this.addSql(`create policy "organization" on "cost_adjustment" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "cost_adjustment" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "cost_adjustment" cascade;`);
  }

}
