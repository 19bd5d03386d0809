/** Applies a change to a credit, without storing it, after the checks that need the organization's other credits. */
import type { OrganizationId } from '#kernel/ids.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { fail } from '#kernel/errors.ts';
import { canonicalProvider, UNKNOWN_PROVIDER } from '#usage/names/canonical-provider.ts';
import { knownProviders } from '../rates/matching/prefix-cards.query.ts';
import { requireClasses } from '../provider-costs/require-classes.step.ts';
import type { ProviderCreditDraft } from './parse-provider-credit.ts';
import type { ProviderCredit } from './provider-credit.ts';
import { listCreditRows } from './provider-credit.table.ts';

/** Maximum number of credits of an organization, excluding and including removed ones. */
const CREDITS_MAX = 100;
const STORED_MAX = 1_000;

export interface ChangedCredit {
  readonly before: ProviderCredit | null;
  readonly changed: ProviderCredit;
  /** All credits that are not removed, after the change. */
  readonly credits: readonly ProviderCredit[];
}

/**
 * Fails with `NOT_FOUND` for an unknown id, and with `VALIDATION_ERROR` for an unknown provider or class, or too many
 * credits.
 */
export async function changeProviderCredit(
  tx: Transaction,
  organizationId: OrganizationId,
  id: string | null,
  { provider, ...terms }: ProviderCreditDraft,
  at: Date,
): Promise<ChangedCredit> {
  const { before, others, stored } = await findCredit(tx, organizationId, id);
  if (before === null && (others.length >= CREDITS_MAX || stored >= STORED_MAX))
    fail('VALIDATION_ERROR', `The limit of ${CREDITS_MAX} credits, or ${STORED_MAX} with removed ones, is reached`);
  const providerSlug = canonicalProvider(provider, await knownProviders(tx, organizationId));
  if (providerSlug === null || providerSlug === UNKNOWN_PROVIDER)
    return fail('VALIDATION_ERROR', `provider ${provider} has no rate cards`);
  await requireClasses(tx, organizationId, 'classes', terms.classes);
  const [newId = ''] = uuidsV7(1);
  const changed: ProviderCredit = {
    ...terms,
    providerSlug,
    id: before?.id ?? newId,
    revision: (before?.revision ?? 0) + 1,
    isRemoved: false,
    changedAt: at,
  };
  return { before, changed, credits: [...others, changed] };
}

/** `id` null: a new credit. Fails with `NOT_FOUND`. */
export async function findCredit(tx: Transaction, organizationId: OrganizationId, id: string | null) {
  if (id !== null && !isUuid(id)) fail('NOT_FOUND', 'Unknown credit');
  const existing = await listCreditRows(tx, organizationId);
  const present = existing.filter(({ isRemoved }) => !isRemoved);
  const before = present.find((credit) => credit.id === id) ?? null;
  if (id !== null && before === null) fail('NOT_FOUND', 'Unknown credit');
  return { before, others: present.filter((credit) => credit !== before), stored: existing.length };
}
