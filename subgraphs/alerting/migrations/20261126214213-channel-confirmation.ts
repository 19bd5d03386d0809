import { Migration } from '@mikro-orm/migrations';

export class Migration20261126214213_channel_confirmation extends Migration {

  override name = 'Migration20261126214213_channel_confirmation';

  override up(): void | Promise<void> {
    this.addSql(`alter table "alert_channel" add "confirmed_at" timestamptz(3) null, add "confirmation_hash" bytea null, add "confirmation_expires_at" timestamptz(3) null;`);
    // Addresses that alerts were already sent to keep receiving them.
    this.addSql(`update "alert_channel" set "confirmed_at" = "created_at" where "kind" = 'EMAIL';`);
    this.addSql(`create index alert_channel_confirmation_index on alert_channel (confirmation_hash) where confirmation_hash is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "alert_channel_confirmation_index";`);
    this.addSql(`alter table "alert_channel" drop column "confirmed_at", drop column "confirmation_hash", drop column "confirmation_expires_at";`);
  }

}
