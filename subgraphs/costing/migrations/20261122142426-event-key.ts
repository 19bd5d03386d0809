import { Migration } from '@mikro-orm/migrations';

export class Migration20261122142426_event_key extends Migration {

  override name = 'Migration20261122142426_event_key';

  override up(): void | Promise<void> {
    this.addSql(`alter table "usage_event" add "api_key_id" uuid null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "usage_event" drop column "api_key_id";`);
  }

}
