import { Migration } from '@mikro-orm/migrations';

export class Migration20261127214309_exchange_rates extends Migration {

  override name = 'Migration20261127214309_exchange_rates';

  override up(): void | Promise<void> {
    this.addSql(`create table "fx_rate" ("quote" text not null, "day" date not null, "source" text not null, "imported_at" timestamptz(3) not null, "rate" numeric(20,10) not null, primary key ("quote", "day", "source", "imported_at"));`);
    this.addSql(`create index "fx_rate_day_index" on "fx_rate" ("day", "quote");`);

    this.addSql(`alter table "fx_rate" add constraint "fx_rate_positive" check (rate > 0);`);
    this.addSql(`alter table "fx_rate" add constraint "fx_rate_source_check" check ("source" in ('ecb'));`);
    this.addSql(`alter table "fx_rate" enable row level security;`);
    this.addSql(`alter table "fx_rate" force row level security;`);
    this.addSql(`create policy "read" on "fx_rate" for select to "revenue_serving" using (true);`);
    this.addSql(`create policy "jobs" on "fx_rate" to "revenue_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "fx_rate" cascade;`);
  }

}
