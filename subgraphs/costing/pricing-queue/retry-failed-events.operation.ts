/** Retries events that were given up (decision 9, D20). */
import { finishOperation } from '#platform/operations/run-operation.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { beginRetry, requeuedEventsOf, requeueFailedKind } from './requeue-events.step.ts';

/** For the operator's chosen organization, or for all. Returns the number of events. */
export async function retryFailedEvents({ database, principal }: SubgraphContext): Promise<number> {
  const begun = await database.system((tx) =>
    beginRetry(tx, principal.organizationId ?? GLOBAL_TENANT, { actor: actorOf(principal) }),
  );
  return requeuedEventsOf(await finishOperation(database, requeueFailedKind, begun));
}
