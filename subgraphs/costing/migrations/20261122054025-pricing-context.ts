import { Migration } from '@mikro-orm/migrations';

export class Migration20261122054025_pricing_context extends Migration {

  override name = 'Migration20261122054025_pricing_context';

  override up(): void | Promise<void> {
    this.addSql(`create table "rate_variant" ("organization_id" uuid not null, "rate_card_version_id" uuid not null, "context" text not null, "class" text not null, "above_input_tokens" bigint not null, "rate" numeric(18,9) null, "factor" numeric(18,9) null, "source" text not null, primary key ("organization_id", "rate_card_version_id", "context", "class", "above_input_tokens"));`);

    this.addSql(`alter table "cost_entry" add "pricing_context" text not null default '';`);

    this.addSql(`alter table "rate_card_version" add "input_audio" numeric(18,9) null, add "output_audio" numeric(18,9) null, add "cache_read_audio" numeric(18,9) null, add "input_image" numeric(18,9) null, add "output_image" numeric(18,9) null, add "cache_read_image" numeric(18,9) null, add "input_video" numeric(18,9) null, add "output_video" numeric(18,9) null;`);

    this.addSql(`alter table "rate_tier" add "input_audio" numeric(18,9) null, add "output_audio" numeric(18,9) null, add "cache_read_audio" numeric(18,9) null, add "input_image" numeric(18,9) null, add "output_image" numeric(18,9) null, add "cache_read_image" numeric(18,9) null, add "input_video" numeric(18,9) null, add "output_video" numeric(18,9) null;`);

    this.addSql(`alter table "rate_variant" enable row level security;`);
    this.addSql(`alter table "rate_variant" force row level security;`);
    this.addSql(`create policy "organization" on "rate_variant" for select to "costing_serving" using (organization_id in ('00000000-0000-0000-0000-000000000000'::uuid, (nullif(current_setting('app.organization_id', true), ''))::uuid));`);
    this.addSql(`create policy "jobs" on "rate_variant" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "rate_variant" cascade;`);

    this.addSql(`alter table "cost_entry" drop column "pricing_context";`);

    this.addSql(`alter table "rate_card_version" drop column "input_audio", drop column "output_audio", drop column "cache_read_audio", drop column "input_image", drop column "output_image", drop column "cache_read_image", drop column "input_video", drop column "output_video";`);

    this.addSql(`alter table "rate_tier" drop column "input_audio", drop column "output_audio", drop column "cache_read_audio", drop column "input_image", drop column "output_image", drop column "cache_read_image", drop column "input_video", drop column "output_video";`);
  }

}
