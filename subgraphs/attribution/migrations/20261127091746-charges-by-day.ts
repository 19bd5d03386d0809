import { Migration } from '@mikro-orm/migrations';

/** Existing facts get their charges from the ledger: every organization's facts are compared with it once. */
export class Migration20261127091746_charges_by_day extends Migration {

  override name = 'Migration20261127091746_charges_by_day';

  override up(): void | Promise<void> {
    this.addSql(`create table "charge_day" ("organization_id" uuid not null, "bucket" timestamptz(0) not null, "provider" text not null, "model" text not null, "context" text not null, "charge_class" text not null, "unit" text not null, "quantity" numeric not null, "list_amount" numeric not null, "amount" numeric not null, "corrections" numeric not null, "event_count" bigint not null, primary key ("organization_id", "bucket", "provider", "model", "context", "charge_class", "unit"));`);

    this.addSql(`alter table "cost_fact" add "charges" jsonb null;`);

    this.addSql(`alter table "charge_day" enable row level security;`);
    this.addSql(`alter table "charge_day" force row level security;`);
    this.addSql(`create policy "organization" on "charge_day" to "attribution_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "charge_day" to "attribution_jobs" using (true) with check (true);`);

    // Rows are updated again and again, and no statement asks where a sum lies.
    this.addSql(`alter table "charge_day" set (fillfactor = 80);`);
    this.addSql(`do $$ begin
      if to_regclass('pg_dist_partition') is null then
        alter table charge_day alter column quantity set statistics 0, alter column list_amount set statistics 0, alter column amount set statistics 0, alter column corrections set statistics 0, alter column event_count set statistics 0;
        alter table cost_fact alter column charges set statistics 0;
      end if;
    end $$;`);
    this.addSql(`update "feed_place" set "replay" = '{"cursor": {"phase": "entries", "eventId": "00000000-0000-0000-0000-000000000000", "sequence": -1}, "removed": 0, "sumsAll": false}' where "replay" is null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "charge_day" cascade;`);

    this.addSql(`alter table "cost_fact" drop column "charges";`);
  }

}
