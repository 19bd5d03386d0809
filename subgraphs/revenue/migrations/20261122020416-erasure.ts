import { Migration } from '@mikro-orm/migrations';

export class Migration20261122020416_erasure extends Migration {

  override name = 'Migration20261122020416_erasure';

  override up(): void | Promise<void> {
    this.addSql(`alter table "customer" add "erased_at" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "customer" drop column "erased_at";`);
  }

}
