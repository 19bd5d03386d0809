/** Chooses the channels that receive a statement for each week or month. */
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { requireChannels } from '../channels/require-channel.step.ts';
import type { StatementSchedule, StatementScheduleSetInput } from '../resolvers.generated.ts';
import { periodStart, statementDueAt } from './statement-period.ts';
import { deleteSchedule, listSchedules, saveSchedule } from './statement-schedule.table.ts';
import { toScheduleView } from './statement-schedule-view.ts';

/** If no channels are given, ends the schedule and returns null. Fails with `NOT_FOUND` for an unknown channel. */
export async function setStatementSchedule(
  context: SubgraphContext,
  { period, channelIds: ids }: StatementScheduleSetInput,
): Promise<StatementSchedule | null> {
  const organizationId = organizationOf(context);
  const { principal } = context;
  const channelIds = [...new Set(ids)];
  return context.database.write(organizationId, async (tx) => {
    await requireChannels(tx, organizationId, channelIds);
    const at = now();
    const start = periodStart(at, period);
    if (channelIds.length === 0) await deleteSchedule(tx, { organizationId, period });
    else
      await saveSchedule(tx, {
        organizationId,
        period,
        channelIds,
        periodStart: start,
        dueAt: statementDueAt(start, period),
        updatedAt: at,
        updatedBy: principal.accountUserId,
      });
    await recordAudit(tx, {
      organizationId,
      at,
      action: channelIds.length === 0 ? 'statement_schedule.ended' : 'statement_schedule.set',
      ...actorOf(principal),
      subjectId: period,
      detail: `${channelIds.length} ${channelIds.length === 1 ? 'channel' : 'channels'}`,
    });
    const schedule = (await listSchedules(tx, organizationId)).find((one) => one.period === period);
    return schedule === undefined ? null : toScheduleView(schedule);
  });
}
