import { Migration } from '@mikro-orm/migrations';

export class Migration20261122020318_operations extends Migration {

  override name = 'Migration20261122020318_operations';

  override up(): void | Promise<void> {
    this.addSql(`create table "operation" ("organization_id" uuid not null, "id" uuid not null, "kind" text not null, "parameters" jsonb not null, "place" jsonb null, "done" bigint not null, "total" bigint null, "result" jsonb null, "state" text not null, "attempt" int not null, "last_error" text null, "next_step_at" timestamptz(3) not null, "lease_owner" uuid null, "lease_until" timestamptz(3) null, "started_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, primary key ("organization_id", "id"));`);
    this.addSql(`create index "operation_turn_index" on "operation" ("state", "next_step_at");`);

    // What was interrupted is named, and goes on when it is asked for again: from its beginning, which changes nothing twice.
    this.addSql(`insert into "operation" ("organization_id", "id", "kind", "parameters", "done", "state", "attempt", "last_error", "next_step_at", "started_at", "updated_at", "finished_at")
      select "organization_id", "id", case when "reverts" is null then 'reprice' else 'revert' end,
        jsonb_build_object('start', to_char("period_start" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
          'end', to_char("period_end" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'model', "model", 'reverts', "reverts"),
        0, 'failed', 0, 'It was interrupted before an upgrade: resume it', now(), "started_at", now(), now()
      from "repricing" where "finished_at" is null;`);
    this.addSql(`insert into "operation" ("organization_id", "id", "kind", "parameters", "done", "state", "attempt", "next_step_at", "started_at", "updated_at")
      select "organization_id", gen_random_uuid(), 'requeue-waiting', '{}', 0, 'running', 0, now(), now(), now() from "rate_generation" where not "requeued";`);

    this.addSql(`alter table "rate_generation" drop column "requeued";`);

    this.addSql(`alter table "repricing" drop column "done_event_id", drop column "done_time", drop column "rate_generation";`);

    this.addSql(`alter table "operation" add constraint "operation_state_check" check ("state" in ('running', 'cancelled', 'failed', 'finished'));`);
    this.addSql(`alter table "operation" enable row level security;`);
    this.addSql(`alter table "operation" force row level security;`);
    this.addSql(`create policy "organization" on "operation" to "costing_serving" using (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid) with check (organization_id = (nullif(current_setting('app.organization_id', true), ''))::uuid);`);
    this.addSql(`create policy "jobs" on "operation" to "costing_jobs" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "operation" cascade;`);

    this.addSql(`alter table "rate_generation" add "requeued" boolean not null default true;`);

    this.addSql(`alter table "repricing" add "done_event_id" uuid null, add "done_time" timestamptz(6) null, add "rate_generation" text null;`);
  }

}
