import { Migration } from '@mikro-orm/migrations';

export class Migration20261122013935_feed_by_organization extends Migration {

  override name = 'Migration20261122013935_feed_by_organization';

  override up(): void | Promise<void> {
    this.addSql(`create table "feed_acknowledgement" ("organization_id" uuid not null, "follower" text not null, "number" bigint not null, "token" uuid null, primary key ("organization_id", "follower"));`);

    this.addSql(`create table "feed_head" ("organization_id" uuid not null, "number" bigint not null, "token" uuid not null, "previous_token" uuid null, primary key ("organization_id"));`);

    // Both are updated all the time: with room on its page a new version of a row touches no index.
    this.addSql(`alter table "feed_acknowledgement" set (fillfactor = 50);`);
    this.addSql(`alter table "feed_head" set (fillfactor = 50);`);

    // Number 1 stands for the past that was pruned, so that anyone who begins is brought the ledger; what is left of the old feed
    // follows in its order. Where followers were is not said in these numbers: each replays, and what it has already changes nothing.
    this.addSql(`alter table "priced_batch" add "number" bigint null, add "token" uuid null, add "previous_token" uuid null, add "bytes" int null;`);
    this.addSql(`insert into "feed_head" ("organization_id", "number", "token")
      select organization_id, 1, gen_random_uuid() from (
        select organization_id from cost_entry union select organization_id from unpriced_event union select organization_id from priced_batch) known;`);
    this.addSql(`update "priced_batch" b set "number" = numbered.number, "token" = gen_random_uuid(), "bytes" = octet_length(b.body::text)
      from (select organization_id, id, 1 + row_number() over (partition by organization_id order by xid, id) as number from priced_batch) numbered
      where b.organization_id = numbered.organization_id and b.id = numbered.id;`);
    this.addSql(`update "priced_batch" b set "previous_token" = coalesce(
      (select token from priced_batch before where before.organization_id = b.organization_id and before.number = b.number - 1),
      (select token from feed_head head where head.organization_id = b.organization_id));`);
    this.addSql(`update "feed_head" head set "number" = last.number, "token" = last.token, "previous_token" = last.previous_token
      from (select distinct on (organization_id) organization_id, number, token, previous_token from priced_batch
        order by organization_id, number desc) last
      where head.organization_id = last.organization_id;`);

    this.addSql(`drop table if exists "feed_horizon" cascade;`);

    this.addSql(`alter table "cost_entry" drop column "xid";`);

    this.addSql(`alter table "feed_follower" drop column "batch_id", drop column "replaying", drop column "xid";`);
    this.addSql(`alter table "feed_follower" rename column "read_at" to "began_at";`);

    this.addSql(`drop index "priced_batch_order_index";`);
    this.addSql(`alter table "priced_batch" drop constraint "priced_batch_pkey";`);
    this.addSql(`alter table "priced_batch" drop column "id", drop column "xid";`);
    this.addSql(`alter table "priced_batch" alter column "number" set not null, alter column "token" set not null, alter column "bytes" set not null;`);
    this.addSql(`alter table "priced_batch" alter column "published_at" drop default;`);
    this.addSql(`alter table "priced_batch" add primary key ("organization_id", "number");`);

    this.addSql(`alter table "feed_acknowledgement" enable row level security;`);
    this.addSql(`alter table "feed_acknowledgement" force row level security;`);
    this.addSql(`create policy "organization" on "feed_acknowledgement" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "feed_acknowledgement" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "feed_head" enable row level security;`);
    this.addSql(`alter table "feed_head" force row level security;`);
    this.addSql(`create policy "organization" on "feed_head" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "feed_head" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`create table "feed_horizon" ("batch_id" bigint not null, "id" int not null, "xid" xid8 not null, primary key ("id"));`);

    this.addSql(`drop table if exists "feed_acknowledgement" cascade;`);
    this.addSql(`drop table if exists "feed_head" cascade;`);

    this.addSql(`alter table "cost_entry" add "xid" xid8 not null default pg_current_xact_id();`);

    // Followers begin again from the ledger.
    this.addSql(`delete from "feed_follower";`);
    this.addSql(`delete from "priced_batch";`);
    this.addSql(`alter table "feed_follower" add "batch_id" bigint not null, add "replaying" boolean not null, add "xid" xid8 not null;`);
    this.addSql(`alter table "feed_follower" rename column "began_at" to "read_at";`);

    this.addSql(`alter table "priced_batch" drop constraint "priced_batch_pkey";`);
    this.addSql(`alter table "priced_batch" drop column "number", drop column "token", drop column "previous_token", drop column "bytes";`);
    this.addSql(`alter table "priced_batch" add "id" bigserial not null, add "xid" xid8 not null default pg_current_xact_id();`);
    this.addSql(`alter table "priced_batch" alter column "published_at" set default now();`);
    this.addSql(`create index "priced_batch_order_index" on "priced_batch" ("xid", "id");`);
    this.addSql(`alter table "priced_batch" add primary key ("organization_id", "id");`);
  }

}
