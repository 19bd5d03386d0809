import { Migration } from '@mikro-orm/migrations';

export class Migration20261121224235_key_of_recovery_code extends Migration {

  override name = 'Migration20261121224235_key_of_recovery_code';

  override up(): void | Promise<void> {
    this.addSql(`alter table "recovery_code" add "key_id" uuid null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "recovery_code" drop column "key_id";`);
  }

}
