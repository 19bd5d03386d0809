import { Migration } from '@mikro-orm/migrations';

export class Migration20261126212305_catalogue_date extends Migration {

  override name = 'Migration20261126212305_catalogue_date';

  override up(): void | Promise<void> {
    this.addSql(`alter table "catalog_release" add "published_at" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "catalog_release" drop column "published_at";`);
  }

}
