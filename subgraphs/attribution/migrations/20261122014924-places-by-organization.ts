import { Migration } from '@mikro-orm/migrations';

export class Migration20261122014924_places_by_organization extends Migration {

  override name = 'Migration20261122014924_places_by_organization';

  override up(): void | Promise<void> {
    this.addSql(`create table "feed_place" ("organization_id" uuid not null, "number" bigint not null, "token" uuid null, "taken" int not null, "evidence_number" bigint null, "evidence_token" uuid null, "head" bigint not null, "arrival" bigint not null, "replay" jsonb null, primary key ("organization_id"));`);
    this.addSql(`create index "feed_place_replay_index" on "feed_place" ("organization_id") where replay is not null;`);

    this.addSql(`create table "refused_fact" ("organization_id" uuid not null, "id" text not null, "body" text not null, "reason" text not null, "refused_at" timestamptz(3) not null, primary key ("organization_id", "id"));`);

    // Where the follower was is not said in numbers of organizations: a batch that costing never made has each of them compared with
    // the ledger. Facts keep their arrival, so that boundaries of a backfill under way hold.
    this.addSql(`alter table "feed_place" set (fillfactor = 50);`);
    this.addSql(`insert into "feed_place" ("organization_id", "number", "token", "taken", "head", "arrival")
      select organization_id, 1, gen_random_uuid(), 0, 1, coalesce((select max(arrival) from feed_position), 0)
      from (select organization_id from rolled_key union select organization_id from end_user) known;`);

    this.addSql(`drop table if exists "feed_position" cascade;`);

    this.addSql(`alter table "feed_place" enable row level security;`);
    this.addSql(`alter table "feed_place" force row level security;`);
    this.addSql(`create policy "organization" on "feed_place" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "feed_place" to "attribution_jobs" using (true) with check (true);`);

    this.addSql(`alter table "refused_fact" enable row level security;`);
    this.addSql(`alter table "refused_fact" force row level security;`);
    this.addSql(`create policy "organization" on "refused_fact" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "refused_fact" to "attribution_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`create table "feed_position" ("arrival" bigint not null, "batches_behind" bigint not null, "follower" text not null, "position" jsonb null, primary key ("follower"));`);

    this.addSql(`drop table if exists "feed_place" cascade;`);
    this.addSql(`drop table if exists "refused_fact" cascade;`);
  }

}
