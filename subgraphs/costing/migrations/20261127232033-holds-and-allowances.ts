import { Migration } from '@mikro-orm/migrations';

export class Migration20261127232033_holds_and_allowances extends Migration {

  override name = 'Migration20261127232033_holds_and_allowances';

  override up(): void | Promise<void> {
    this.addSql(`drop policy "jobs" on "allowance_period";`);
    this.addSql(`drop policy "organization" on "allowance_period";`);

    this.addSql(`drop policy "jobs" on "hold";`);
    this.addSql(`drop policy "organization" on "hold";`);

    this.addSql(`alter table "allowance_period" alter column "held" type numeric(40,15) using ("held"::numeric(40,15));`);
    this.addSql(`alter table "allowance_period" alter column "spent" type numeric(40,15) using ("spent"::numeric(40,15));`);
    this.addSql(`create index allowance_period_start_index on allowance_period (period_start);`);
    this.addSql(`create policy "jobs" on "allowance_period" to "costing_jobs" using (true) with check (true);`);
    this.addSql(`create policy "organization" on "allowance_period" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);

    this.addSql(`create index end_user_erasure_active_index on end_user_erasure (organization_id, pseudonym) where finished_at is null;`);

    this.addSql(`alter table "hold" alter column "remaining" type numeric(40,15) using ("remaining"::numeric(40,15));`);
    this.addSql(`create index hold_end_user_index on hold (organization_id, end_user_external_id, id) where end_user_external_id is not null;`);
    this.addSql(`create policy "jobs" on "hold" to "costing_jobs" using (true) with check (true);`);
    this.addSql(`create policy "organization" on "hold" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop policy "organization" on "allowance_period";`);
    this.addSql(`drop policy "jobs" on "allowance_period";`);

    this.addSql(`drop policy "organization" on "hold";`);
    this.addSql(`drop policy "jobs" on "hold";`);

    this.addSql(`drop index "allowance_period_start_index";`);
    this.addSql(`alter table "allowance_period" alter column "held" type numeric(30,15) using ("held"::numeric(30,15));`);
    this.addSql(`alter table "allowance_period" alter column "spent" type numeric(30,15) using ("spent"::numeric(30,15));`);
    this.addSql(`create policy "organization" on "allowance_period" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "allowance_period" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`drop index "end_user_erasure_active_index";`);

    this.addSql(`drop index "hold_end_user_index";`);
    this.addSql(`alter table "hold" alter column "remaining" type numeric(30,15) using ("remaining"::numeric(30,15));`);
    this.addSql(`create policy "organization" on "hold" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "hold" to "costing_jobs" using (true) with check (true);`);
  }

}
