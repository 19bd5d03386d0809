/** The columns that identity stores encrypted. */
import type { Actor } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SealedColumn } from '#platform/database/sealed-column.ts';
import type { EntityManager } from '#platform/database/open-database.ts';
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
    // The keys keep working; they just cannot be shown again.
    discard: async (em, ids) => void (await em.nativeUpdate(ApiKeyTable, { id: { $in: [...ids] } }, { sealed: null })),
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

/** Their users then sign in with only the password; the organization's audit log records it. */
async function discardSecondFactors(em: EntityManager, ids: readonly string[], by: Actor): Promise<void> {
  for (const { organizationId, accountUserId } of await em.find(SecondFactorTable, {
    accountUserId: { $in: [...ids] },
  })) {
    await deleteRecoveryCodes(em, organizationId, accountUserId);
    await deleteSecondFactor(em, organizationId, accountUserId);
    await recordAudit(em, {
      organizationId,
      at: now(),
      action: 'second_factor.discarded',
      ...by,
      subjectId: accountUserId,
    });
  }
}

/** Also deletes codes that no other key can check, so that nobody relies on them. */
async function discardRecoveryCodeKeys(em: EntityManager, ids: readonly string[]): Promise<void> {
  await em.nativeDelete(RecoveryCodeKeyTable, { id: { $in: [...ids] } });
  const left = await em.find(RecoveryCodeKeyTable, {});
  await em.nativeDelete(RecoveryCodeTable, { keyId: { $ne: null, $nin: left.map(({ id }) => id) } });
  // Codes from before keys were stored: it is unknown which derived key hashed each of them.
  if (left.every(({ derivedFrom }) => derivedFrom === null)) await em.nativeDelete(RecoveryCodeTable, { keyId: null });
}
