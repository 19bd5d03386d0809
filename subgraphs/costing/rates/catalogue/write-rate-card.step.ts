/** Writes a rate card of a person, or the next version of one: for an organization, or for everybody. */
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { randomUuid } from '../../../../platform/random.ts';
import { insertRateAliases } from '../rate-alias.table.ts';
import { findWrittenCard, insertRateCards } from '../rate-card.table.ts';
import { openVersions } from '../rate-card-version.table.ts';
import type { RateDraft } from './parse-rate-input.ts';

export interface WrittenRateCard {
  readonly rateCardId: string;
  readonly isNew: boolean;
  /** Null: since ever. */
  readonly effectiveFrom: Date | null;
}

/** Within a transaction that has begun a change of rates. A new card holds since ever unless said otherwise, a change from now on. */
export async function writeRateCard(
  em: EntityManager,
  organizationId: string,
  draft: RateDraft,
  at: Date,
): Promise<WrittenRateCard> {
  const known = await findWrittenCard(em, { organizationId, ...draft });
  const rateCardId = known ?? randomUuid();
  if (known === null) {
    const { modelSlug, providerSlug } = draft;
    await insertRateCards(em, [{ organizationId, id: rateCardId, providerSlug, modelSlug, matchKind: 'prefix' }], at);
    await insertRateAliases(em, [{ organizationId, rateCardId, name: modelSlug }]);
  }
  const from = draft.effectiveFrom ?? (known === null ? null : at);
  await openVersions(em, [{ organizationId, rateCardId, from, version: draft.version }], at);
  return { rateCardId, isNew: known === null, effectiveFrom: from };
}
