import { Migration } from '@mikro-orm/migrations';

export class Migration20261128202210_list_costs_of_allocations extends Migration {

  override name = 'Migration20261128202210_list_costs_of_allocations';

  override up(): void | Promise<void> {
    this.addSql(`alter table "allocation_day" add "list_cost" numeric(40,15) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "allocation_day" drop column "list_cost";`);
  }

}
