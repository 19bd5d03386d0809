import { Migration } from '@mikro-orm/migrations';

export class Migration20261122115635_context_policy extends Migration {

  override name = 'Migration20261122115635_context_policy';

  override up(): void | Promise<void> {
    this.addSql(`create table "context_policy" ("organization_id" uuid not null, "unknown_context" text not null, "changed_at" timestamptz(3) not null, primary key ("organization_id"));`);

    this.addSql(`alter table "cost_entry" add "unknown_context" text null;`);
    this.addSql(`create index "cost_entry_unknown_context_index" on "cost_entry" ("organization_id", "event_time") where unknown_context is not null;`);

    this.addSql(`alter table "context_policy" add constraint "context_policy_unknown_context_check" check ("unknown_context" in ('wait', 'base'));`);
    this.addSql(`alter table "context_policy" enable row level security;`);
    this.addSql(`alter table "context_policy" force row level security;`);
    this.addSql(`create policy "organization" on "context_policy" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "context_policy" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "context_policy" cascade;`);

    this.addSql(`drop index "cost_entry_unknown_context_index";`);
    this.addSql(`alter table "cost_entry" drop column "unknown_context";`);
  }

}
