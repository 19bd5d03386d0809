import { Migration } from '@mikro-orm/migrations';

export class Migration20261124022133_heads_ahead extends Migration {

  override name = 'Migration20261124022133_heads_ahead';

  override up(): void | Promise<void> {
    this.addSql(`alter table "feed_head" add "is_ahead" boolean not null default false;`);
    this.addSql(`create index "feed_head_ahead_index" on "feed_head" ("organization_id") where is_ahead;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "feed_head_ahead_index";`);
    this.addSql(`alter table "feed_head" drop column "is_ahead";`);
  }

}
