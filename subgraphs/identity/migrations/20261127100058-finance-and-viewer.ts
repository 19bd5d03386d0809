import { Migration } from '@mikro-orm/migrations';

export class Migration20261127100058_finance_and_viewer extends Migration {

  override name = 'Migration20261127100058_finance_and_viewer';

  override up(): void | Promise<void> {
    this.addSql(`alter table "account_user" drop constraint "account_user_role_check";`);
    this.addSql(`alter table "account_user" add constraint "account_user_role_check" check ("role" in ('owner', 'admin', 'member', 'finance', 'viewer'));`);

    this.addSql(`alter table "invitation" drop constraint "invitation_role_check";`);
    this.addSql(`alter table "invitation" add constraint "invitation_role_check" check ("role" in ('owner', 'admin', 'member', 'finance', 'viewer'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "account_user" drop constraint "account_user_role_check";`);
    this.addSql(`alter table "account_user" add constraint "account_user_role_check" check ("role" in ('owner', 'admin', 'member'));`);

    this.addSql(`alter table "invitation" drop constraint "invitation_role_check";`);
    this.addSql(`alter table "invitation" add constraint "invitation_role_check" check ("role" in ('owner', 'admin', 'member'));`);
  }

}
