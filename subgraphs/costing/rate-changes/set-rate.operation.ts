/** Creates a hand-written rate card, or its next version, and requeues the events that waited for it. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import { finishOperation } from '#platform/operations/run-operation.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { beginRateChange } from '../rates/rate-generation.table.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { beginRequeue, requeuedEventsOf, requeueWaitingKind } from '../pricing-queue/requeue-events.step.ts';
import { parseRateInput, type RateDraft, type RateInput } from './parse-rate-input.ts';
import { writeRateCard } from './write-rate-card.step.ts';

export interface SetRate {
  readonly rateCardId: string;
  readonly modelSlug: string;
  /** Null: no lower bound. */
  readonly effectiveFrom: Date | null;
  readonly requeuedEvents: number;
}

/**
 * Applies to the caller's organization, or to everybody for an operator without one. The card takes effect when the
 * first transaction commits; waiting events are requeued in later transactions of bounded size.
 */
export async function setRate({ database, principal }: SubgraphContext, input: RateInput): Promise<SetRate> {
  const draft = parseRateInput(input);
  const organizationId = principal.organizationId ?? GLOBAL_TENANT;
  const { rateCardId, effectiveFrom, requeue } = await database.system(async (tx) => {
    const at = now();
    await beginRateChange(tx, organizationId, at);
    const { rateCardId: id, isNew, effectiveFrom: from } = await writeRateCard(tx, organizationId, draft, at);
    await recordAudit(tx, {
      organizationId,
      at,
      action: isNew ? 'rate_card.created' : 'rate_card.changed',
      ...actorOf(principal),
      subjectId: id,
      detail: `${nameOf(draft)} from ${from?.toISOString() ?? 'ever'}`,
    });
    return { rateCardId: id, effectiveFrom: from, requeue: await beginRequeue(tx, organizationId) };
  });
  const requeuedEvents = requeuedEventsOf(await finishOperation(database, requeueWaitingKind, requeue));
  return { rateCardId, modelSlug: draft.modelSlug, effectiveFrom, requeuedEvents };
}

function nameOf({ providerSlug, modelSlug }: RateDraft): string {
  return providerSlug === null ? modelSlug : `${providerSlug}/${modelSlug}`;
}
