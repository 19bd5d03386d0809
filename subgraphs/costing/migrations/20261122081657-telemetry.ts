import { Migration } from '@mikro-orm/migrations';

export class Migration20261122081657_telemetry extends Migration {

  override name = 'Migration20261122081657_telemetry';

  override up(): void | Promise<void> {
    this.addSql(`create table "attribute_mapping" ("organization_id" uuid not null, "end_user" text[] not null, "agent" text[] not null, "session" text[] not null, "dimensions" json not null, primary key ("organization_id"));`);

    this.addSql(`create table "telemetry_parent" ("organization_id" uuid not null, "span_key" text not null, "seen_at" timestamptz(3) not null, primary key ("organization_id", "span_key"));`);
    this.addSql(`create index "telemetry_parent_seen_index" on "telemetry_parent" ("organization_id", "seen_at");`);

    this.addSql(`create table "telemetry_source" ("organization_id" uuid not null, "livemode" boolean not null, "door" text not null, "name" text not null, "version" text not null, "outcome" text not null, "count" bigint not null, "first_seen_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, primary key ("organization_id", "livemode", "door", "name", "version", "outcome"));`);

    this.addSql(`create index usage_event_test_index on usage_event (organization_id, id) where not livemode;`);

    this.addSql(`alter table "attribute_mapping" enable row level security;`);
    this.addSql(`alter table "attribute_mapping" force row level security;`);
    this.addSql(`create policy "organization" on "attribute_mapping" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "attribute_mapping" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "telemetry_parent" enable row level security;`);
    this.addSql(`alter table "telemetry_parent" force row level security;`);
    this.addSql(`create policy "organization" on "telemetry_parent" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "telemetry_parent" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "telemetry_source" enable row level security;`);
    this.addSql(`alter table "telemetry_source" force row level security;`);
    this.addSql(`create policy "organization" on "telemetry_source" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "telemetry_source" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "attribute_mapping" cascade;`);
    this.addSql(`drop table if exists "telemetry_parent" cascade;`);
    this.addSql(`drop table if exists "telemetry_source" cascade;`);

    this.addSql(`drop index "usage_event_test_index";`);
  }

}
