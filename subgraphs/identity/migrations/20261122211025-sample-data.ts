import { Migration } from '@mikro-orm/migrations';

export class Migration20261122211025_sample_data extends Migration {

  override name = 'Migration20261122211025_sample_data';

  override up(): void | Promise<void> {
    this.addSql(`alter table "organization" add "sample_of" uuid null;`);
    this.addSql(`alter table "organization" add constraint "organization_sample_of_unique" unique ("sample_of");`);

    this.addSql(`alter table "session" add "is_in_sample" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "organization" drop constraint "organization_sample_of_unique";`);
    this.addSql(`alter table "organization" drop column "sample_of";`);

    this.addSql(`alter table "session" drop column "is_in_sample";`);
  }

}
