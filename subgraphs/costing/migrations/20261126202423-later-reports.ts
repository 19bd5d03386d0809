import { Migration } from '@mikro-orm/migrations';

export class Migration20261126202423_later_reports extends Migration {

  override name = 'Migration20261126202423_later_reports';

  override up(): void | Promise<void> {
    this.addSql(`drop index "cost_entry_guessed_index";`);
    this.addSql(`alter table "cost_entry" drop constraint "cost_entry_cause_check";`);
    this.addSql(`create index "cost_entry_guessed_index" on "cost_entry" ("organization_id", "event_time") where reading in ('guessed', 'incomplete');`);
    this.addSql(`alter table "cost_entry" add constraint "cost_entry_cause_check" check ("cause" in ('priced', 'repriced', 'reverted', 'reported'));`);

    this.addSql(`alter table "usage_event" add "revised_at" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "cost_entry_guessed_index";`);
    this.addSql(`alter table "cost_entry" drop constraint "cost_entry_cause_check";`);
    this.addSql(`create index "cost_entry_guessed_index" on "cost_entry" ("organization_id", "event_time") where reading = 'guessed';`);
    this.addSql(`alter table "cost_entry" add constraint "cost_entry_cause_check" check ("cause" in ('priced', 'repriced', 'reverted'));`);

    this.addSql(`alter table "usage_event" drop column "revised_at";`);
  }

}
