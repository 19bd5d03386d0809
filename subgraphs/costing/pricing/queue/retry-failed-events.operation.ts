/** Gives events that were given up another try (decision 9, D20). */
import { actorOf } from '../../../../platform/subgraph/audit-record.ts';
import { now } from '../../../../platform/clock.ts';
import type { SubgraphContext } from '../../../../platform/subgraph/context.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { requeueFailedEvents } from './requeue-events.step.ts';

/** Of the organization that the operator names, else of all. Returns how many. Each organization's log tells of its own. */
export function retryFailedEvents({ database, principal }: SubgraphContext): Promise<number> {
  return requeueFailedEvents(database, principal.organizationId, (em, organizationId, events) =>
    recordAudit(em, {
      organizationId,
      at: now(),
      action: 'failed_events.retried',
      ...actorOf(principal),
      detail: `${events} events`,
    }),
  );
}
