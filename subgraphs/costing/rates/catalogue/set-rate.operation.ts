/** Writes a rate card by hand, or the next version of one, and puts the events that waited for it back into the queue. */
import { actorOf } from '../../../../platform/subgraph/audit-record.ts';
import { now } from '../../../../platform/clock.ts';
import { finishOperation } from '../../../../platform/operations/run-operation.ts';
import { randomUuid } from '../../../../platform/random.ts';
import type { SubgraphContext } from '../../../../platform/subgraph/context.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { insertRateAliases } from '../rate-alias.table.ts';
import { findWrittenCard, insertRateCards } from '../rate-card.table.ts';
import { openVersions } from '../rate-card-version.table.ts';
import { beginRateChange } from '../rate-generation.table.ts';
import { GLOBAL_TENANT } from '../../config.ts';
import { beginRequeue, requeuedEventsOf, requeueWaitingKind } from '../../pricing/queue/requeue-events.step.ts';
import { parseRateInput, type RateDraft, type RateInput } from './parse-rate-input.ts';

export interface SetRate {
  readonly rateCardId: string;
  readonly modelSlug: string;
  /** Null: since ever. */
  readonly effectiveFrom: Date | null;
  readonly requeuedEvents: number;
}

/**
 * For the organization that the operator names, else for everybody. A new card holds since ever unless said otherwise, a
 * change from now on. The card stands when the first transaction commits; waiting events follow in bounded ones.
 */
export async function setRate({ database, principal }: SubgraphContext, input: RateInput): Promise<SetRate> {
  const draft = parseRateInput(input);
  const organizationId = principal.organizationId ?? GLOBAL_TENANT;
  const { rateCardId, effectiveFrom, requeue } = await database.acrossOrganizations(async (em) => {
    const at = now();
    await beginRateChange(em, organizationId, at);
    const known = await findWrittenCard(em, { organizationId, ...draft });
    const id = known ?? randomUuid();
    if (known === null) {
      const { modelSlug, providerSlug } = draft;
      await insertRateCards(em, [{ organizationId, id, providerSlug, modelSlug, matchKind: 'prefix' }], at);
      await insertRateAliases(em, [{ organizationId, rateCardId: id, name: modelSlug }]);
    }
    const from = draft.effectiveFrom ?? (known === null ? null : at);
    await openVersions(em, [{ organizationId, rateCardId: id, from, version: draft.version }], at);
    await recordAudit(em, {
      organizationId,
      at,
      action: known === null ? 'rate_card.created' : 'rate_card.changed',
      ...actorOf(principal),
      subjectId: id,
      detail: `${nameOf(draft)} from ${from?.toISOString() ?? 'ever'}`,
    });
    return { rateCardId: id, effectiveFrom: from, requeue: await beginRequeue(em, organizationId) };
  });
  const requeuedEvents = requeuedEventsOf(await finishOperation(database, requeueWaitingKind, requeue));
  return { rateCardId, modelSlug: draft.modelSlug, effectiveFrom, requeuedEvents };
}

function nameOf({ providerSlug, modelSlug }: RateDraft): string {
  return providerSlug === null ? modelSlug : `${providerSlug}/${modelSlug}`;
}
