import { Migration } from '@mikro-orm/migrations';

export class Migration20261122020153_erasure extends Migration {

  override name = 'Migration20261122020153_erasure';

  override up(): void | Promise<void> {
    this.addSql(`create table "end_user_erasure" ("organization_id" uuid not null, "id" uuid not null, "subject_hash" text not null, "pseudonym" text null, "events" bigint not null, "requested_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "end_user_erasure_subject_index" on "end_user_erasure" ("organization_id", "subject_hash");`);

    this.addSql(`alter table "usage_event" add "reduced_at" timestamptz(3) null;`);

    this.addSql(`alter table "end_user_erasure" add constraint "end_user_erasure_pseudonym" check ((pseudonym is null) = (finished_at is not null));`);
    this.addSql(`alter table "end_user_erasure" enable row level security;`);
    this.addSql(`alter table "end_user_erasure" force row level security;`);
    this.addSql(`create policy "organization" on "end_user_erasure" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "end_user_erasure" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "end_user_erasure" cascade;`);

    this.addSql(`alter table "usage_event" drop column "reduced_at";`);
  }

}
