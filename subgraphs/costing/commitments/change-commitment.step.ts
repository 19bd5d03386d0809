/** Applies a change to a commitment, without storing it, after the checks that need stored data. */
import type { OrganizationId } from '#kernel/ids.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { fail } from '#kernel/errors.ts';
import { canonicalProvider, UNKNOWN_PROVIDER } from '#usage/names/canonical-provider.ts';
import { knownProviders } from '../rates/matching/prefix-cards.query.ts';
import type { Commitment } from './commitment.ts';
import { listCommitmentRows } from './commitment.table.ts';
import type { CommitmentDraft } from './parse-commitment.ts';

/** Maximum number of commitments of an organization, excluding and including removed ones. */
const COMMITMENTS_MAX = 50;
const STORED_MAX = 500;

interface ChangedCommitment {
  readonly before: Commitment | null;
  readonly changed: Commitment;
}

/** Fails with `NOT_FOUND` for an unknown id, and with `VALIDATION_ERROR` for an unknown provider or too many commitments. */
export async function changeCommitment(
  tx: Transaction,
  organizationId: OrganizationId,
  id: string | null,
  { provider, ...terms }: CommitmentDraft,
  at: Date,
): Promise<ChangedCommitment> {
  const existing = await listCommitmentRows(tx, organizationId);
  const before = id === null ? null : requireCommitment(existing, id);
  const count = existing.filter(({ isRemoved }) => !isRemoved).length;
  if (before === null && (count >= COMMITMENTS_MAX || existing.length >= STORED_MAX))
    fail(
      'VALIDATION_ERROR',
      `The limit of ${COMMITMENTS_MAX} commitments, or ${STORED_MAX} with removed ones, is reached`,
    );
  const providerSlug = canonicalProvider(provider, await knownProviders(tx, organizationId));
  if (providerSlug === null || providerSlug === UNKNOWN_PROVIDER)
    return fail('VALIDATION_ERROR', `provider ${provider} has no rate cards`);
  const [newId = ''] = uuidsV7(1);
  const changed = {
    ...terms,
    providerSlug,
    id: before?.id ?? newId,
    revision: (before?.revision ?? 0) + 1,
    isRemoved: false,
    changedAt: at,
  };
  return { before, changed };
}

/** Fails with `NOT_FOUND` for the id of a removed or unknown commitment. */
export function requireCommitment(commitments: readonly Commitment[], id: string): Commitment {
  const found = isUuid(id) ? commitments.find((one) => one.id === id && !one.isRemoved) : undefined;
  return found ?? fail('NOT_FOUND', 'Unknown commitment');
}
