import { Migration } from '@mikro-orm/migrations';

export class Migration20261122013449_set_aside extends Migration {

  override name = 'Migration20261122013449_set_aside';

  override up(): void | Promise<void> {
    this.addSql(`create table "set_aside_object" ("organization_id" uuid not null, "kind" text not null, "object_id" text not null, "cause" text not null, "reason" text not null, "first_seen_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, primary key ("organization_id", "kind", "object_id", "cause"));`);

    this.addSql(`alter table "set_aside_object" add constraint "set_aside_object_kind_check" check ("kind" in ('event', 'customer', 'subscription', 'invoice', 'credit_note', 'refund', 'dispute'));`);
    this.addSql(`alter table "set_aside_object" add constraint "set_aside_object_cause_check" check ("cause" in ('unreadable', 'other_currency'));`);
    this.addSql(`alter table "set_aside_object" enable row level security;`);
    this.addSql(`alter table "set_aside_object" force row level security;`);
    this.addSql(`create policy "organization" on "set_aside_object" to "revenue_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "set_aside_object" to "revenue_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "set_aside_object" cascade;`);
  }

}
