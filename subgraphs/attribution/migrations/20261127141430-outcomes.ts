import { Migration } from '@mikro-orm/migrations';

export class Migration20261127141430_outcomes extends Migration {

  override name = 'Migration20261127141430_outcomes';

  override up(): void | Promise<void> {
    this.addSql(`create table "outcome" ("organization_id" uuid not null, "livemode" boolean not null, "key" text not null, "name" text not null, "succeeded" boolean not null, "at" timestamptz(6) not null, "end_user" text null, "agent" text null, "session" text null, "task" text null, "value" numeric(30,15) null, "currency" text null, "metadata" jsonb not null, "stated_at" timestamptz(6) not null, "fingerprint" text not null, "versions" int not null, "kept_events" int not null, primary key ("organization_id", "livemode", "key"));`);
    this.addSql(`create index "outcome_time_index" on "outcome" ("organization_id", "at") where livemode;`);
    this.addSql(`create index "outcome_task_index" on "outcome" ("organization_id", "task", "at", "key") where livemode and task is not null;`);
    this.addSql(`create index "outcome_session_index" on "outcome" ("organization_id", "session", "at", "key") where livemode and task is null and session is not null;`);
    this.addSql(`create index "outcome_end_user_index" on "outcome" ("organization_id", "end_user") where end_user is not null;`);

    this.addSql(`create table "outcome_event" ("organization_id" uuid not null, "event_id" uuid not null, "key" text not null, primary key ("organization_id", "event_id"));`);
    this.addSql(`create index "outcome_event_key_index" on "outcome_event" ("organization_id", "key");`);

    this.addSql(`create table "outcome_version" ("organization_id" uuid not null, "livemode" boolean not null, "key" text not null, "version" int not null, "name" text not null, "succeeded" boolean not null, "at" timestamptz(6) not null, "end_user" text null, "agent" text null, "session" text null, "task" text null, "value" numeric(30,15) null, "currency" text null, "metadata" jsonb not null, "stated_at" timestamptz(6) not null, "fingerprint" text not null, "recorded_at" timestamptz(6) not null, primary key ("organization_id", "livemode", "key", "version"));`);
    this.addSql(`create index "outcome_version_end_user_index" on "outcome_version" ("organization_id", "end_user") where end_user is not null;`);

    this.addSql(`create index cost_fact_task_index on cost_fact (organization_id, (dimensions ->> 'task_id'))
  where (dimensions ->> 'task_id') is not null;`);

    this.addSql(`alter table "outcome" enable row level security;`);
    this.addSql(`alter table "outcome" force row level security;`);
    this.addSql(`create policy "organization" on "outcome" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "outcome" to "attribution_jobs" using (true) with check (true);`);

    this.addSql(`alter table "outcome_event" enable row level security;`);
    this.addSql(`alter table "outcome_event" force row level security;`);
    this.addSql(`create policy "organization" on "outcome_event" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "outcome_event" to "attribution_jobs" using (true) with check (true);`);

    this.addSql(`alter table "outcome_version" enable row level security;`);
    this.addSql(`alter table "outcome_version" force row level security;`);
    this.addSql(`create policy "organization" on "outcome_version" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "outcome_version" to "attribution_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "outcome" cascade;`);
    this.addSql(`drop table if exists "outcome_event" cascade;`);
    this.addSql(`drop table if exists "outcome_version" cascade;`);

    this.addSql(`drop index "cost_fact_task_index";`);
  }

}
