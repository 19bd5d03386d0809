import { Migration } from '@mikro-orm/migrations';

export class Migration20261128074711_fiscal_year extends Migration {

  override name = 'Migration20261128074711_fiscal_year';

  override up(): void | Promise<void> {
    this.addSql(`alter table "organization" add "fiscal_year_start" smallint not null default 1;`);
    this.addSql(`alter table "organization" add constraint "organization_fiscal_year_start" check (fiscal_year_start >= 1 and fiscal_year_start <= 12);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "organization" drop constraint "organization_fiscal_year_start";`);
    this.addSql(`alter table "organization" drop column "fiscal_year_start";`);
  }

}
