import { Migration } from '@mikro-orm/migrations';

export class Migration20261126202210_issuer_of_password_reset extends Migration {

  override name = 'Migration20261126202210_issuer_of_password_reset';

  override up(): void | Promise<void> {
    this.addSql(`alter table "password_reset" add "issued_by" uuid null;`);

    // Nobody knows who made the links that are open now. They were good for a day at most.
    this.addSql(`grant select, update on "password_reset" to "identity_jobs";`);
    this.addSql(`set local role "identity_jobs";`);
    this.addSql(`update "password_reset" set "consumed_at" = now() where "consumed_at" is null;`);
    this.addSql(`reset role;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "password_reset" drop column "issued_by";`);
  }

}
