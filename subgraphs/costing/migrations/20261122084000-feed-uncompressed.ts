import { Migration } from '@mikro-orm/migrations';

export class Migration20261122084000_feed_uncompressed extends Migration {

  override name = 'Migration20261122084000_feed_uncompressed';

  override up(): void | Promise<void> {
    this.addSql(`alter table "priced_batch" alter column "body" set storage external;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "priced_batch" alter column "body" set storage extended;`);
  }

}
