/** The columns that identity stores encrypted. */
import type { Actor } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SealedColumn } from '#platform/database/sealed-column.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { API_KEY_SEAL, RECOVERY_CODE_KEY_SEAL, SECOND_FACTOR_SEAL } from '../secrets/secret-purposes.ts';
import { ApiKeyTable } from '../keys/api-key.table.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { deleteRecoveryCodes, RecoveryCodeTable } from '../sessions/second-factors/recovery-code.table.ts';
import { RecoveryCodeKeyTable } from '../sessions/second-factors/recovery-code-key.table.ts';
import { deleteSecondFactor, SecondFactorTable } from '../sessions/second-factors/second-factor.table.ts';

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    one: 'second factor',
    many: 'second factors',
    table: 'second_factor',
    column: 'sealed',
    purpose: SECOND_FACTOR_SEAL,
    boundTo: 'account_user_id',
    discard: discardSecondFactors,
  },
  {
    one: 'test key',
    many: 'test keys',
    table: 'api_key',
    column: 'sealed',
    purpose: API_KEY_SEAL,
    boundTo: 'id',
    // The keys keep working, but cannot be shown again.
    discard: async (tx, ids) =>
      void (await tx.em.nativeUpdate(ApiKeyTable, { id: { $in: [...ids] } }, { sealed: null })),
  },
  {
    one: 'recovery-code key',
    many: 'recovery-code keys',
    table: 'recovery_code_key',
    column: 'sealed',
    purpose: RECOVERY_CODE_KEY_SEAL,
    boundTo: 'id',
    discard: discardRecoveryCodeKeys,
  },
];

/** The users of these accounts then sign in with only the password; the organization's audit log records it. */
async function discardSecondFactors(tx: WriteTransaction, ids: readonly string[], by: Actor): Promise<void> {
  for (const { organizationId, accountUserId } of await tx.em.find(SecondFactorTable, {
    accountUserId: { $in: [...ids] },
  })) {
    await deleteRecoveryCodes(tx, organizationId, accountUserId);
    await deleteSecondFactor(tx, organizationId, accountUserId);
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'second_factor.discarded',
      ...by,
      subjectId: accountUserId,
    });
  }
}

/** Discards keys, and codes that no other key can check, so that nobody relies on them. */
async function discardRecoveryCodeKeys(tx: WriteTransaction, ids: readonly string[]): Promise<void> {
  await tx.em.nativeDelete(RecoveryCodeKeyTable, { id: { $in: [...ids] } });
  const left = await tx.em.find(RecoveryCodeKeyTable, {});
  await tx.em.nativeDelete(RecoveryCodeTable, { keyId: { $ne: null, $nin: left.map(({ id }) => id) } });
  // Codes from before keys were stored: it is unknown which derived key hashed each of them.
  if (left.every(({ derivedFrom }) => derivedFrom === null))
    await tx.em.nativeDelete(RecoveryCodeTable, { keyId: null });
}
