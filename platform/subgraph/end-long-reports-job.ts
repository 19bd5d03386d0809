/** Ends transactions of SQL tools that take too long: a client can lift the time limits that its role starts with. */
import type { Database } from '../database/open-database.ts';
import { HAS_SQL_ACCESS } from '../database/sql-access/report-views.ts';
import { statement } from '../database/statement.ts';
import type { Job } from '../job-loop.ts';

const REST_MILLISECONDS = 15_000;
/** Twice the time limit of a statement. An open transaction keeps dead rows from being removed. */
const SECONDS_MAX = 120;

const HAS_READERS = statement<{ has: boolean }>(`select ${HAS_SQL_ACCESS} as has`);
const END_LONG = statement<object, { readonly seconds: number }>(`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename in (select role_name from report.reader)
    and xact_start < now() - :seconds * interval '1 second'`);

export function endLongReportsJob(
  { database }: { readonly database: Database },
  { secondsMax = SECONDS_MAX } = {},
): Job {
  return {
    name: 'end-long-reports',
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      await database.system(async (tx) => {
        if ((await tx.one(HAS_READERS, {})).has) await tx.run(END_LONG, { seconds: secondsMax });
      });
      return 'idle';
    },
  };
}
