import { Migration } from '@mikro-orm/migrations';

export class Migration20261122152135_usage_profiles extends Migration {

  override name = 'Migration20261122152135_usage_profiles';

  override up(): void | Promise<void> {
    this.addSql(`create table "usage_profile" ("organization_id" uuid not null, "day" timestamptz(0) not null, "model_slug" text not null, "provider_slug" text not null, "external_id" text not null, "rate_card_version_id" text not null, "pricing_context" text not null, "above_input_tokens" bigint not null, "is_plain" boolean not null, "events" bigint not null, "cost" numeric(40,15) not null, "input" bigint not null, "output" bigint not null, "cache_creation" bigint not null, "cache_creation_1h" bigint not null, "cache_read" bigint not null, "reasoning" bigint not null, "input_audio" bigint not null, "output_audio" bigint not null, "cache_read_audio" bigint not null, "input_image" bigint not null, "output_image" bigint not null, "cache_read_image" bigint not null, "input_video" bigint not null, "output_video" bigint not null, primary key ("organization_id", "day", "model_slug", "provider_slug", "external_id", "rate_card_version_id", "pricing_context", "above_input_tokens", "is_plain"));`);

    this.addSql(`create table "usage_profile_day" ("organization_id" uuid not null, "day" timestamptz(0) not null, "events" bigint not null, "cost" numeric(40,15) not null, "input_sizes" jsonb not null, "is_whole" boolean not null, primary key ("organization_id", "day"));`);

    this.addSql(`alter table "usage_profile" enable row level security;`);
    this.addSql(`alter table "usage_profile" force row level security;`);
    this.addSql(`create policy "organization" on "usage_profile" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "usage_profile" to "costing_jobs" using (true) with check (true);`);

    this.addSql(`alter table "usage_profile_day" enable row level security;`);
    this.addSql(`alter table "usage_profile_day" force row level security;`);
    this.addSql(`create policy "organization" on "usage_profile_day" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "usage_profile_day" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "usage_profile" cascade;`);
    this.addSql(`drop table if exists "usage_profile_day" cascade;`);
  }

}
