import { Migration } from '@mikro-orm/migrations';

export class Migration20261122050706_erasure_operations extends Migration {

  override name = 'Migration20261122050706_erasure_operations';

  override up(): void | Promise<void> {
    this.addSql(`alter table "end_user_erasure" add "external_id" text null;`);
    this.addSql(`alter table "end_user_erasure" add constraint "end_user_erasure_external_id" check (finished_at is null or external_id is null);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "end_user_erasure" drop constraint "end_user_erasure_external_id";`);
    this.addSql(`alter table "end_user_erasure" drop column "external_id";`);
  }

}
