import { Migration } from '@mikro-orm/migrations';

export class Migration20261127011039_events_unpaid extends Migration {

  override name = 'Migration20261127011039_events_unpaid';

  override up(): void | Promise<void> {
    this.addSql(`create or replace function "raise_events_unpaid"() returns int language plpgsql as $$ begin raise exception 'The credits no longer suffice' using errcode = 'BK001'; end $$;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop function if exists "raise_events_unpaid"();`);
  }

}
