/** Ends transactions of SQL tools that take too long: a client can lift the time limits that its role starts with. */
import type { Database } from '../database/open-database.ts';
import { IS_REPORT_SESSION } from '../database/sql-access/report-views.ts';
import { statement } from '../database/statement.ts';
import type { Job } from '../job-loop.ts';

const REST_MILLISECONDS = 15_000;
/**
 * Maximum length of a transaction: twice the time limit of a statement. An open transaction keeps dead rows from being
 * removed.
 */
const SECONDS_MAX = 120;

const END_LONG = statement<object, { readonly seconds: number }>(`
  select pg_terminate_backend(pid) from pg_stat_activity
  where ${IS_REPORT_SESSION} and xact_start < now() - :seconds * interval '1 second'`);

export function endLongReportsJob(
  { database }: { readonly database: Database },
  { secondsMax = SECONDS_MAX } = {},
): Job {
  return {
    name: 'end-long-reports',
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      await database.system((tx) => tx.run(END_LONG, { seconds: secondsMax }));
      return 'idle';
    },
  };
}
