import { Migration } from '@mikro-orm/migrations';

export class Migration20261122081350_unsigned_writes extends Migration {

  override name = 'Migration20261122081350_unsigned_writes';

  override up(): void | Promise<void> {
    this.addSql(`alter table "api_key" add "may_write_unsigned" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "api_key" drop column "may_write_unsigned";`);
  }

}
