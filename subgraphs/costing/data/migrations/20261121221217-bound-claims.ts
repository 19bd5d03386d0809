import { Migration } from '@mikro-orm/migrations';

export class Migration20261121221217_bound_claims extends Migration {

  override name = 'Migration20261121221217_bound_claims';

  override up(): void | Promise<void> {
    this.addSql(`drop index "pricing_job_next_index";`);
    this.addSql(`alter table "pricing_job" add "bytes" int not null default 0;`);
    // What waits in the queue already; a job of which this says nothing is claimed by its events alone.
    this.addSql(`update "pricing_job" j set "bytes" = coalesce((
      select sum(octet_length(e.metadata::text)) from usage_event e where e.organization_id = j.organization_id and e.id = any(j.event_ids)), 0);`);
    this.addSql(`create index "pricing_job_turn_index" on "pricing_job" ("organization_id", "next_attempt_at");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "pricing_job_turn_index";`);
    this.addSql(`alter table "pricing_job" drop column "bytes";`);
    this.addSql(`create index "pricing_job_next_index" on "pricing_job" ("next_attempt_at");`);
  }

}
