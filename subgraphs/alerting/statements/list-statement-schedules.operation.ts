/** The organization's schedules of statements. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { StatementSchedule } from '../resolvers.generated.ts';
import { listSchedules } from './statement-schedule.table.ts';
import { toScheduleView } from './statement-schedule-view.ts';

export async function listStatementSchedules(context: SubgraphContext): Promise<StatementSchedule[]> {
  const organizationId = organizationOf(context);
  const schedules = await context.database.entitySnapshot(organizationId, (tx) => listSchedules(tx, organizationId));
  return schedules.map(toScheduleView);
}
