import { Migration } from '@mikro-orm/migrations';

export class Migration20261127223027_allowances extends Migration {

  override name = 'Migration20261127223027_allowances';

  override up(): void | Promise<void> {
    this.addSql(`create table "allowance" ("organization_id" uuid not null, "id" uuid not null, "subject" text not null, "subject_id" text not null, "period" text not null, "policy" text not null, "amount" numeric(30,15) null, "counts_from" timestamptz(6) not null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "id"));`);
    this.addSql(`alter table "allowance" add constraint "allowance_subject_unique" unique ("organization_id", "subject", "subject_id", "period");`);

    this.addSql(`create table "allowance_period" ("organization_id" uuid not null, "allowance_id" uuid not null, "period_start" timestamptz(0) not null, "held" numeric(30,15) not null, "open_holds" int not null, "spent" numeric(30,15) not null, primary key ("organization_id", "allowance_id", "period_start"));`);

    this.addSql(`create table "allowance_top_up" ("organization_id" uuid not null, "allowance_id" uuid not null, "id" uuid not null, "idempotency_key" text not null, "amount" numeric(30,15) not null, "added_at" timestamptz(3) not null, "actor_kind" text not null, "account_user_id" uuid null, primary key ("organization_id", "allowance_id", "id"));`);
    this.addSql(`alter table "allowance_top_up" add constraint "allowance_top_up_key_unique" unique ("organization_id", "allowance_id", "idempotency_key");`);

    this.addSql(`create table "hold" ("organization_id" uuid not null, "id" uuid not null, "idempotency_key" text not null, "request_digest" text not null, "end_user_external_id" text null, "agent_id" text null, "model" text null, "amount" numeric(30,15) not null, "state" text not null, "because" text not null, "remaining" numeric(30,15) null, "allowance_id" uuid null, "allowance_ids" uuid[] not null, "period_starts" timestamptz[] not null, "opened_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "closed_at" timestamptz(3) null, "event_id" uuid null, primary key ("organization_id", "id"));`);
    this.addSql(`create index hold_expiry_index on hold (expires_at, organization_id) where state = 'open';`);
    this.addSql(`create index hold_closed_index on hold (closed_at) where state <> 'open';`);
    this.addSql(`alter table "hold" add constraint "hold_key_unique" unique ("organization_id", "idempotency_key");`);

    this.addSql(`alter table "allowance" add constraint "allowance_amount" check ((amount is null) = (period = 'prepaid'));`);
    this.addSql(`alter table "allowance" add constraint "allowance_subject_id" check ((subject_id = '') = (subject = 'organization'));`);
    this.addSql(`alter table "allowance" add constraint "allowance_subject_check" check ("subject" in ('organization', 'end_user', 'agent'));`);
    this.addSql(`alter table "allowance" add constraint "allowance_period_check" check ("period" in ('day', 'month', 'prepaid'));`);
    this.addSql(`alter table "allowance" add constraint "allowance_policy_check" check ("policy" in ('deny', 'warn'));`);
    this.addSql(`alter table "allowance" enable row level security;`);
    this.addSql(`alter table "allowance" force row level security;`);
    this.addSql(`create policy "organization" on "allowance" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "allowance" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "allowance_period" enable row level security;`);
    this.addSql(`alter table "allowance_period" force row level security;`);
    this.addSql(`create policy "organization" on "allowance_period" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "allowance_period" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "allowance_top_up" enable row level security;`);
    this.addSql(`alter table "allowance_top_up" force row level security;`);
    this.addSql(`create policy "organization" on "allowance_top_up" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "allowance_top_up" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "hold" add constraint "hold_state_check" check ("state" in ('open', 'settled', 'released', 'expired', 'denied'));`);
    this.addSql(`alter table "hold" add constraint "hold_because_check" check ("because" in ('no_allowance', 'within_allowance', 'over_allowance', 'allowance_used_up', 'too_many_open_holds'));`);
    this.addSql(`alter table "hold" enable row level security;`);
    this.addSql(`alter table "hold" force row level security;`);
    this.addSql(`create policy "organization" on "hold" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "hold" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "allowance" cascade;`);
    this.addSql(`drop table if exists "allowance_period" cascade;`);
    this.addSql(`drop table if exists "allowance_top_up" cascade;`);
    this.addSql(`drop table if exists "hold" cascade;`);
  }

}
