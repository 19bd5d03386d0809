import { Migration } from '@mikro-orm/migrations';

export class Migration20261122021319_deleted_organizations extends Migration {

  override name = 'Migration20261122021319_deleted_organizations';

  override up(): void | Promise<void> {
    this.addSql(`alter table "organization" add "deleted_at" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "organization" drop column "deleted_at";`);
  }

}
