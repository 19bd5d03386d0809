/**
 * Ends one of the organization's own rate cards. From then on, events of its models get the standard price, or wait for
 * one.
 */
import { isUuid } from '#kernel/uuid.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { now } from '#platform/clock.ts';
import { finishOperation } from '#platform/operations/run-operation.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { beginRequeue, requeuedEventsOf, requeueWaitingKind } from '../pricing-queue/requeue-events.step.ts';
import { findCardOf } from '../rates/rate-card.table.ts';
import { endVersions } from '../rates/rate-card-version.table.ts';
import { beginRateChange } from '../rates/rate-generation.table.ts';
import type { SetRate } from '../resolvers.generated.ts';

/** Booked costs stay. Fails with `NOT_FOUND` if the card does not exist or is not the organization's own. */
export async function endRate(
  context: SubgraphContext,
  { rateCardId, at: requested }: { rateCardId: string; at?: string | null | undefined },
): Promise<SetRate> {
  const { database, principal } = context;
  const organizationId = organizationOf(context);
  const instant =
    requested === null || requested === undefined
      ? null
      : (parseIso8601(requested) ?? fail('VALIDATION_ERROR', 'at must be an ISO 8601 date or date-time'));
  const { modelSlug, end, requeue } = await database.system(async (tx) => {
    const at = now();
    await beginRateChange(tx, organizationId, at);
    const card = isUuid(rateCardId) ? await findCardOf(tx, organizationId, rateCardId) : null;
    if (card === null) return fail('NOT_FOUND', 'Rate card not found');
    const end = instant === null ? at : new Date(instant.epochMs);
    await endVersions(tx, { organizationId, rateCardId, end }, at);
    const { providerSlug, modelSlug } = card;
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'rate_card.ended',
      ...actorOf(principal),
      subjectId: rateCardId,
      detail: `${providerSlug === null ? modelSlug : `${providerSlug}/${modelSlug}`} at ${end.toISOString()}`,
    });
    return { modelSlug, end, requeue: await beginRequeue(tx, organizationId) };
  });
  const requeuedEvents = requeuedEventsOf(await finishOperation(database, requeueWaitingKind, requeue));
  return { rateCardId, modelSlug, effectiveFrom: end, requeuedEvents };
}
