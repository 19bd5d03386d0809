import { Migration } from '@mikro-orm/migrations';

export class Migration20261128202005_metadata_of_outcomes extends Migration {

  override name = 'Migration20261128202005_metadata_of_outcomes';

  override up(): void | Promise<void> {
    this.addSql(`create index "outcome_version_metadata_index" on "outcome_version" ("organization_id", "recorded_at") where metadata <> '{}';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "outcome_version_metadata_index";`);
  }

}
