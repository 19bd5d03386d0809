import { Migration } from '@mikro-orm/migrations';

export class Migration20261121221945_secrets_and_operators extends Migration {

  override name = 'Migration20261121221945_secrets_and_operators';

  override up(): void | Promise<void> {
    this.addSql(`create table "recovery_code_key" ("id" uuid not null, "sealed" bytea not null, "is_current" boolean not null, "derived_from" text null, "created_at" timestamptz(3) not null, primary key ("id"));`);

    this.addSql(`alter table "operator" add "name" text not null default 'first-run', add "created_by" uuid null, add "last_used_at" timestamptz(3) null, add "revoked_at" timestamptz(3) null;`);
    // The one operator there can be is that of the first start.
    this.addSql(`alter table "operator" alter column "name" drop default;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "recovery_code_key" cascade;`);

    this.addSql(`alter table "operator" drop column "name", drop column "created_by", drop column "last_used_at", drop column "revoked_at";`);
  }

}
