import { Migration } from '@mikro-orm/migrations';

export class Migration20261128023323_scheduled_exports extends Migration {

  override name = 'Migration20261128023323_scheduled_exports';

  override up(): void | Promise<void> {
    this.addSql(`create table "export_delivery" ("organization_id" uuid not null, "id" uuid not null, "schedule_id" uuid not null, "report_table" text not null, "period" text not null, "created_at" timestamptz(3) not null, "due_at" timestamptz(3) null, "lease_until" timestamptz(3) null, "attempts" int not null, "delivered_at" timestamptz(3) null, "rows" bigint null, "bytes" bigint null, "sha256" text null, "manifest_key" text null, "last_error" text null, primary key ("organization_id", "id"));`);
    this.addSql(`create index export_delivery_due_index on export_delivery (due_at) where due_at is not null;`);
    this.addSql(`create index export_delivery_lease_index on export_delivery (organization_id) where lease_until is not null;`);
    this.addSql(`create index "export_delivery_schedule_index" on "export_delivery" ("organization_id", "schedule_id", "period", "id");`);

    this.addSql(`create table "export_schedule" ("organization_id" uuid not null, "id" uuid not null, "name" text not null, "tables" text[] not null, "format" text not null, "period" text not null, "grain" text null, "version" text null, "endpoint" text null, "region" text not null, "bucket" text not null, "prefix" text not null, "access_key_id" text not null, "sealed_secret" bytea null, "channel_ids" text[] not null, "next_period_start" timestamptz(3) not null, "due_at" timestamptz(3) null, "last_error" text null, "stopped_reason" text null, "tested_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "updated_by" uuid null, primary key ("organization_id", "id"));`);
    this.addSql(`create index export_schedule_due_index on export_schedule (due_at) where due_at is not null;`);

    this.addSql(`alter table "export_delivery" enable row level security;`);
    this.addSql(`alter table "export_delivery" force row level security;`);
    this.addSql(`create policy "organization" on "export_delivery" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "export_delivery" to "alerting_jobs" using (true) with check (true);`);

    this.addSql(`alter table "export_schedule" add constraint "export_schedule_format_check" check ("format" in ('CSV', 'JSONL', 'PARQUET'));`);
    this.addSql(`alter table "export_schedule" add constraint "export_schedule_period_check" check ("period" in ('DAY', 'MONTH'));`);
    this.addSql(`alter table "export_schedule" enable row level security;`);
    this.addSql(`alter table "export_schedule" force row level security;`);
    this.addSql(`create policy "organization" on "export_schedule" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "export_schedule" to "alerting_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "export_delivery" cascade;`);
    this.addSql(`drop table if exists "export_schedule" cascade;`);
  }

}
