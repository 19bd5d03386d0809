import { Migration } from '@mikro-orm/migrations';

export class Migration20261122081920_understood extends Migration {

  override name = 'Migration20261122081920_understood';

  override up(): void | Promise<void> {
    this.addSql(`create table "model_alias" ("organization_id" uuid not null, "name" text not null, "provider_slug" text not null, "model" text not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "name", "provider_slug"));`);

    this.addSql(`alter table "unknown_field" add "events" bigint not null default '0', add "example_event_id" uuid null;`);

    this.addSql(`alter table "model_alias" enable row level security;`);
    this.addSql(`alter table "model_alias" force row level security;`);
    this.addSql(`create policy "organization" on "model_alias" for select to "costing_serving" using (organization_id in ('00000000-0000-0000-0000-000000000000'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid));`);
    this.addSql(`create policy "jobs" on "model_alias" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "model_alias" cascade;`);

    this.addSql(`alter table "unknown_field" drop column "events", drop column "example_event_id";`);
  }

}
