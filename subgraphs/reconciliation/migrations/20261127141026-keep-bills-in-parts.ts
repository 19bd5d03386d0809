import { Migration } from '@mikro-orm/migrations';

export class Migration20261127141026_keep_bills_in_parts extends Migration {

  override name = 'Migration20261127141026_keep_bills_in_parts';

  override up(): void | Promise<void> {
    this.addSql(`create table "bill_pull_part" ("organization_id" uuid not null, "pull_id" uuid not null, "part" int not null, "connection_id" uuid not null, "data" bytea not null, primary key ("organization_id", "pull_id", "part"));`);

    // Parts of 512 KiB, as an upload has.
    this.addSql(`insert into bill_pull_part (organization_id, pull_id, part, connection_id, data)
      select organization_id, id, part, connection_id, substring(body from part * 524288 + 1 for 524288)
      from bill_pull, generate_series(0, (length(body) - 1) / 524288) as part;`);
    this.addSql(`alter table "bill_pull" drop column "body";`);

    this.addSql(`alter table "bill_pull_part" enable row level security;`);
    this.addSql(`alter table "bill_pull_part" force row level security;`);
    this.addSql(`create policy "organization" on "bill_pull_part" to "reconciliation_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "bill_pull_part" to "reconciliation_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "bill_pull" add "body" bytea not null default '';`);
    this.addSql(`update bill_pull set body = (select string_agg(data, '' order by part) from bill_pull_part
      where bill_pull_part.organization_id = bill_pull.organization_id and pull_id = bill_pull.id);`);
    this.addSql(`alter table "bill_pull" alter column "body" drop default;`);

    this.addSql(`drop table if exists "bill_pull_part" cascade;`);
  }

}
