/** Writes the exports of a month again when it is closed: its figures are then final. */
import { earlier, MINUTE_MS } from '#kernel/time/duration.ts';
import { databaseTime } from '#platform/database/sql.ts';
import type { Job } from '#platform/job-loop.ts';
import { graphql } from '#schema/graphql.ts';
import { EXPORT_CLOSING_MINUTES } from '../config.ts';
import { readerOf } from '../figures/graph-reader.step.ts';
import { repeatMonths } from './export-queue.step.ts';
import { type CheckedSchedule, claimClosingCheck, markClosings } from './export-schedule.table.ts';
import type { ExportDependencies } from './write-delivery.step.ts';

const CLOSINGS = graphql(`query ClosingsOfExports {
  costs: costClosing { closedUntil }
  revenue: revenueClosing { closedUntil }
}`);

const MINUTE_SECONDS = 60;

export function repeatClosedExports({
  database,
  gateway,
  log,
}: Pick<ExportDependencies, 'database' | 'gateway' | 'log'>): Job {
  return {
    name: 'repeat-closed-exports',
    restMilliseconds: MINUTE_MS,
    async step(found) {
      const schedule = await database.system(async (tx) => {
        const at = await databaseTime(tx);
        return claimClosingCheck(tx, { at, before: earlier(at, EXPORT_CLOSING_MINUTES * MINUTE_SECONDS) });
      });
      if (schedule === null) return 'idle';
      found?.();
      await check(schedule).catch((err: unknown) => {
        const { organizationId, id: scheduleId } = schedule;
        log.warn({ err, organizationId, scheduleId }, 'Closed months of an export could not be read');
      });
      return 'more';
    },
  };

  async function check({ isFirst, ...known }: CheckedSchedule): Promise<void> {
    const { organizationId, id: scheduleId } = known;
    const { costs, revenue } = await readerOf(gateway, organizationId)(CLOSINGS, {});
    const [costsOpenFrom, revenueOpenFrom] = [monthOf(costs.closedUntil), monthOf(revenue.closedUntil)];
    await database.system(async (tx) => {
      const tables = await markClosings(tx, { organizationId, id: scheduleId, costsOpenFrom, revenueOpenFrom });
      // The files of a new schedule have just been written, or are written after this check.
      if (tables === null || isFirst) return;
      const at = await databaseTime(tx);
      for (const [fromMonth, untilMonth] of [
        [known.costsOpenFrom, costsOpenFrom],
        [known.revenueOpenFrom, revenueOpenFrom],
      ])
        if (untilMonth != null && (fromMonth ?? '') < untilMonth)
          await repeatMonths(tx, { organizationId, scheduleId, tables, fromMonth: fromMonth ?? '', untilMonth, at });
    });
  }
}

function monthOf(closedUntil: string | null): string | null {
  return closedUntil?.slice(0, 'YYYY-MM'.length) ?? null;
}
