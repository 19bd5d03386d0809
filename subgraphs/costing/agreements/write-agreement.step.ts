/** Writes an agreement with its terms, in a transaction that changes rates. */
import type { OrganizationId } from '#kernel/ids.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { fail } from '#kernel/errors.ts';
import { requireClasses } from '../provider-costs/require-classes.step.ts';
import { canonicalProvider, UNKNOWN_PROVIDER } from '#usage/names/canonical-provider.ts';
import { knownProviders } from '../rates/matching/prefix-cards.query.ts';
import { type Agreement, listAgreementRows, saveAgreementRow } from '../rates/discounts/agreement.table.ts';
import { replaceTerms } from '../rates/discounts/agreement-term.table.ts';
import type { AgreementDraft } from './parse-agreement.ts';

const AGREEMENTS_MAX = 100;

export type WrittenAgreement = Omit<Agreement, 'changedAt'> & {
  /** The agreement before the change; null if it is new. */
  readonly before: Agreement | null;
};

/** Fails with `NOT_FOUND` for an unknown id, and with `VALIDATION_ERROR` for an unknown provider or class. */
export async function writeAgreement(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { id, provider, terms, ...draft }: AgreementDraft,
  at: Date,
): Promise<WrittenAgreement> {
  const existing = await listAgreementRows(tx, organizationId);
  const before = existing.find((one) => one.id === id) ?? null;
  if (id !== null && before === null) fail('NOT_FOUND', 'Unknown agreement');
  if (id === null && existing.length >= AGREEMENTS_MAX)
    fail('VALIDATION_ERROR', `The limit of ${AGREEMENTS_MAX} agreements is reached: remove one first`);
  const providerSlug = canonicalProvider(provider, await knownProviders(tx, organizationId));
  if (providerSlug === null || providerSlug === UNKNOWN_PROVIDER)
    return fail('VALIDATION_ERROR', `provider ${provider} has no rate cards`);
  for (const { classes } of terms) await requireClasses(tx, organizationId, 'discounts: classes', classes);
  const [newId = ''] = uuidsV7(1);
  const agreement = { ...draft, id: id ?? newId, providerSlug };
  await saveAgreementRow(tx, organizationId, agreement, at);
  await replaceTerms(tx, organizationId, agreement.id, terms);
  return { ...agreement, before };
}
