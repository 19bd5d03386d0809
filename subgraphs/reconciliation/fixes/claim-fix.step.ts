/** Stores a fix before it is carried out, so that only one of several concurrent requests carries it out. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { UNTRACKED_SCOPES_MAX } from '../config.ts';
import { holdConnection, saveConnection } from '../connections/bill-connection.table.ts';
import { type BillFixRow, insertFix, listFixes, type StoredFix } from '../decisions/bill-fix.table.ts';
import { isUnfinished } from '../decisions/is-unfinished.ts';
import { addDays } from '#kernel/time/utc-day.ts';

type Claim = Pick<StoredFix, 'connectionId' | 'kind' | 'day' | 'lastDay' | 'model' | 'unit' | 'scope' | 'cause'>;

/**
 * Also marks the scope of an `UNTRACK` as not tracked. `seen`: fixes of the day when the difference was read. Fails with
 * `VALIDATION_ERROR` if the same fix was stored since, and with `NOT_FOUND` if the connection was deleted.
 */
export async function claimFix(
  { database, principal }: SubgraphContext,
  fix: BillFixRow,
  { seen, detail }: { readonly seen: readonly StoredFix[]; readonly detail: string },
): Promise<void> {
  const { organizationId, day, appliedAt: at } = fix;
  await database.write(organizationId, async (tx) => {
    const connection = await holdConnection(tx, organizationId, fix.connectionId);
    if (connection === null) return fail('NOT_FOUND', 'connectionId: bill connection not found');
    const stored = await listFixes(tx, { organizationId, from: day, until: addDays(day, 1) });
    const isNew = ({ id, revertedAt }: StoredFix) => revertedAt === null && !seen.some((other) => other.id === id);
    if (stored.some((other) => isNew(other) && isSameFix(other, fix)))
      fail('VALIDATION_ERROR', 'Another request has applied the same fix');
    await insertFix(tx, fix);
    if (fix.kind === 'UNTRACK') {
      const untrackedScopes = [...new Set([...connection.untrackedScopes, fix.scope!])];
      if (untrackedScopes.length > UNTRACKED_SCOPES_MAX)
        fail('VALIDATION_ERROR', `scope: at most ${UNTRACKED_SCOPES_MAX} scopes can be marked as not tracked`);
      await saveConnection(tx, { ...connection, untrackedScopes, updatedAt: at });
    }
    if (!isUnfinished(fix))
      await recordAudit(tx, {
        organizationId,
        at,
        action: 'bill_fix.applied',
        ...actorOf(principal),
        subjectId: fix.id,
        detail,
      });
  });
}

/**
 * Returns the same fix if it was applied earlier but its repricing could not be started, otherwise null. Fails with
 * `VALIDATION_ERROR` if the fix is being applied, or if applying it was interrupted before its result was stored.
 */
export function unfinishedFix(claim: Claim, applied: readonly StoredFix[]): StoredFix | null {
  const found = applied.find((fix) => isUnfinished(fix) && isSameFix(fix, claim));
  if (found?.rateCardId === null && found.agreementId === null)
    fail('VALIDATION_ERROR', 'This fix is being applied. If it was interrupted, revert it and apply it again');
  return found ?? null;
}

function isSameFix(one: Claim, other: Claim): boolean {
  return (['connectionId', 'kind', 'day', 'lastDay', 'model', 'unit', 'scope', 'cause'] as const).every(
    (field) => one[field] === other[field],
  );
}
