/**
 * Sets how to treat events with a context that their rate card does not price. If they are priced at base rates from
 * now on, waiting events are requeued at once. Booked costs stay until they are repriced (decision 43).
 */
import { now } from '#platform/clock.ts';
import { finishOperation } from '#platform/operations/run-operation.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { beginRequeue, requeuedEventsOf, requeueWaitingKind } from '../pricing-queue/requeue-events.step.ts';
import type { ContextPolicy, UnknownContextChoice as Choice } from '../resolvers.generated.ts';
import { saveContextPolicy } from '../rates/context-policy.table.ts';
import { beginRateChange } from '../rates/rate-generation.table.ts';

export interface SetContextPolicy {
  readonly contextPolicy: ContextPolicy;
  readonly requeuedEvents: number;
}

/** Setting the same value again requeues waiting events again. */
export async function setContextPolicy(context: SubgraphContext, unknownContext: Choice): Promise<SetContextPolicy> {
  const organizationId = organizationOf(context);
  const { database, principal } = context;
  const choice = unknownContext === 'BASE' ? 'base' : 'wait';
  const at = now();
  const contextPolicy = { unknownContext, changedAt: at };
  const requeue = await database.system(async (tx) => {
    await beginRateChange(tx, organizationId, at);
    await saveContextPolicy(tx, organizationId, choice, at);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'context_policy.set',
      ...actorOf(principal),
      detail: choice === 'base' ? 'unknown contexts are priced at base' : 'unknown contexts wait',
    });
    return choice === 'base' ? beginRequeue(tx, organizationId) : null;
  });
  if (requeue === null) return { contextPolicy, requeuedEvents: 0 };
  return {
    contextPolicy,
    requeuedEvents: requeuedEventsOf(await finishOperation(database, requeueWaitingKind, requeue)),
  };
}
