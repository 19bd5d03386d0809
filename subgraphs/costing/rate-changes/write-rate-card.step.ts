/** Writes a hand-written rate card, or its next version, for an organization or for everybody. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { randomUuid } from '#platform/random.ts';
import { insertRateAliases } from '../rates/rate-alias.table.ts';
import { findWrittenCard, insertRateCards } from '../rates/rate-card.table.ts';
import { openVersions } from '../rates/rate-card-version.table.ts';
import type { RateDraft } from './parse-rate-input.ts';

export interface WrittenRateCard {
  readonly rateCardId: string;
  readonly isNew: boolean;
  /** Null: no lower bound. */
  readonly effectiveFrom: Date | null;
}

/**
 * Must run within a transaction that has begun a rate change. By default a new card has no lower bound, and a change
 * takes effect now.
 */
export async function writeRateCard(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  draft: RateDraft,
  at: Date,
): Promise<WrittenRateCard> {
  const known = await findWrittenCard(tx, { organizationId, ...draft });
  const rateCardId = known ?? randomUuid();
  if (known === null) {
    const { modelSlug, providerSlug } = draft;
    await insertRateCards(tx, [{ organizationId, id: rateCardId, providerSlug, modelSlug, matchKind: 'prefix' }], at);
    await insertRateAliases(tx, [{ organizationId, rateCardId, name: modelSlug }]);
  }
  const from = draft.effectiveFrom ?? (known === null ? null : at);
  await openVersions(tx, [{ organizationId, rateCardId, from, version: draft.version }], at);
  return { rateCardId, isNew: known === null, effectiveFrom: from };
}
