/** A schedule as the API returns it. */
import type { StatementSchedule } from '../resolvers.generated.ts';
import { statementDueAt } from './statement-period.ts';
import type { StatementScheduleRow } from './statement-schedule.table.ts';

export function toScheduleView({ period, channelIds, periodStart }: StatementScheduleRow): StatementSchedule {
  return {
    period,
    channelIds: [...channelIds],
    nextPeriodStart: periodStart.toISOString(),
    nextAt: statementDueAt(periodStart, period).toISOString(),
  };
}
