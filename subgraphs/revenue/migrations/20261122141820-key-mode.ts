import { Migration } from '@mikro-orm/migrations';

export class Migration20261122141820_key_mode extends Migration {

  override name = 'Migration20261122141820_key_mode';

  override up(): void | Promise<void> {
    this.addSql(`alter table "payment_connection" add "key_mode" text null;`);
    this.addSql(`alter table "payment_connection" add constraint "payment_connection_key_mode_check" check ("key_mode" in ('live', 'test'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "payment_connection" drop constraint "payment_connection_key_mode_check";`);
    this.addSql(`alter table "payment_connection" drop column "key_mode";`);
  }

}
