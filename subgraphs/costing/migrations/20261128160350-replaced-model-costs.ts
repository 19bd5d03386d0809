import { Migration } from '@mikro-orm/migrations';

export class Migration20261128160350_replaced_model_costs extends Migration {

  override name = 'Migration20261128160350_replaced_model_costs';

  override up(): void | Promise<void> {
    this.addSql(`alter table "allocation_day" add "replaced_cost" numeric(40,15) not null default '0';`);

    this.addSql(`alter table "allocation_entry" add "replaced_cost" numeric(40,15) not null default '0';`);

    this.addSql(`alter table "fixed_cost" add "replaces_model_cost" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "allocation_day" drop column "replaced_cost";`);

    this.addSql(`alter table "allocation_entry" drop column "replaced_cost";`);

    this.addSql(`alter table "fixed_cost" drop column "replaces_model_cost";`);
  }

}
