import { Migration } from '@mikro-orm/migrations';

export class Migration20261122050416_provider_usage extends Migration {

  override name = 'Migration20261122050416_provider_usage';

  override up(): void | Promise<void> {
    this.addSql(`alter table "cost_entry" add "reading" text null;`);
    this.addSql(`create index "cost_entry_guessed_index" on "cost_entry" ("organization_id", "event_time") where reading = 'guessed';`);

    this.addSql(`alter table "usage_event" add "provider_usage" json null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "cost_entry_guessed_index";`);
    this.addSql(`alter table "cost_entry" drop column "reading";`);

    this.addSql(`alter table "usage_event" drop column "provider_usage";`);
  }

}
