import { Migration } from '@mikro-orm/migrations';

export class Migration20261128074632_prepayments extends Migration {

  override name = 'Migration20261128074632_prepayments';

  override up(): void | Promise<void> {
    this.addSql(`alter table "provider_credit" add "kind" text not null default 'credit';`);
    this.addSql(`alter table "provider_credit" add constraint "provider_credit_kind_check" check ("kind" in ('credit', 'prepayment'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "provider_credit" drop constraint "provider_credit_kind_check";`);
    this.addSql(`alter table "provider_credit" drop column "kind";`);
  }

}
