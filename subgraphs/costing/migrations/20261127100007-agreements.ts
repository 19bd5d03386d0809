import { Migration } from '@mikro-orm/migrations';

export class Migration20261127100007_agreements extends Migration {

  override name = 'Migration20261127100007_agreements';

  override up(): void | Promise<void> {
    this.addSql(`create table "agreement" ("organization_id" uuid not null, "id" uuid not null, "provider_slug" text not null, "name" text not null, "reference" text null, "from_day" date not null, "until_day" date null, "changed_at" timestamptz(3) not null, primary key ("organization_id", "id"));`);

    this.addSql(`create table "agreement_term" ("organization_id" uuid not null, "agreement_id" uuid not null, "number" int not null, "kind" text not null, "models" text[] null, "classes" text[] null, "percent" numeric(7,4) not null, "from_day" date null, "until_day" date null, primary key ("organization_id", "agreement_id", "number"));`);

    this.addSql(`alter table "agreement" enable row level security;`);
    this.addSql(`alter table "agreement" force row level security;`);
    this.addSql(`create policy "organization" on "agreement" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "agreement" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "agreement_term" add constraint "agreement_term_kind_check" check ("kind" in ('discount'));`);
    this.addSql(`alter table "agreement_term" enable row level security;`);
    this.addSql(`alter table "agreement_term" force row level security;`);
    this.addSql(`create policy "organization" on "agreement_term" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "agreement_term" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "agreement" cascade;`);
    this.addSql(`drop table if exists "agreement_term" cascade;`);
  }

}
