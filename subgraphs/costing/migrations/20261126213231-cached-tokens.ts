import { Migration } from '@mikro-orm/migrations';

export class Migration20261126213231_cached_tokens extends Migration {

  override name = 'Migration20261126213231_cached_tokens';

  override up(): void | Promise<void> {
    this.addSql(`create table "cached_tokens_rule" ("organization_id" uuid not null, "counts_of" text not null, "subject" text not null, "cached_tokens" text not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "counts_of", "subject"));`);

    this.addSql(`alter table "cached_tokens_rule" add constraint "cached_tokens_rule_counts_of_check" check ("counts_of" in ('api_key', 'source', 'provider'));`);
    this.addSql(`alter table "cached_tokens_rule" add constraint "cached_tokens_rule_cached_tokens_check" check ("cached_tokens" in ('included', 'excluded'));`);
    this.addSql(`alter table "cached_tokens_rule" enable row level security;`);
    this.addSql(`alter table "cached_tokens_rule" force row level security;`);
    this.addSql(`create policy "organization" on "cached_tokens_rule" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "cached_tokens_rule" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "cached_tokens_rule" cascade;`);
  }

}
