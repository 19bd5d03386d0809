import { Migration } from '@mikro-orm/migrations';

export class Migration20261128201500_replaced_calls_of_provider_costs extends Migration {

  override name = 'Migration20261128201500_replaced_calls_of_provider_costs';

  override up(): void | Promise<void> {
    this.addSql(`alter table "commitment_day" add "replaced_scopes" text not null default '';`);

    this.addSql(`alter table "provider_credit_day" add "replaced_scopes" text not null default '';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "commitment_day" drop column "replaced_scopes";`);

    this.addSql(`alter table "provider_credit_day" drop column "replaced_scopes";`);
  }

}
