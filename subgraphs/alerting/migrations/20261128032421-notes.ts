import { Migration } from '@mikro-orm/migrations';

export class Migration20261128032421_notes extends Migration {

  override name = 'Migration20261128032421_notes';

  override up(): void | Promise<void> {
    this.addSql(`create table "note" ("organization_id" uuid not null, "id" uuid not null, "day" date null, "episode_id" uuid null, "text" text not null, "written_at" timestamptz(3) not null, "written_by" uuid null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "note_day_index" on "note" ("organization_id", "day");`);
    this.addSql(`create index "note_episode_index" on "note" ("organization_id", "episode_id");`);

    this.addSql(`alter table "note" add constraint "note_of_day_or_episode" check ((day is null) <> (episode_id is null));`);
    this.addSql(`alter table "note" enable row level security;`);
    this.addSql(`alter table "note" force row level security;`);
    this.addSql(`create policy "organization" on "note" to "alerting_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "note" to "alerting_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "note" cascade;`);
  }

}
