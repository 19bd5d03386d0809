/** Writes outcomes in a transaction: every new statement as a version, and the one that counts for each key. */
import type { OrganizationId } from '#kernel/ids.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { ensureHome } from '#platform/database/nodes/organization-home.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { canonicalInstant, instantOf, requireInstant } from '#kernel/time/instant.ts';
import { fail } from '#kernel/errors.ts';
import { findLastStatements, SAVE_OUTCOMES, SAVE_VERSION_COUNTS } from './outcome.table.ts';
import { findKnownFingerprints, INSERT_VERSIONS } from './outcome-version.table.ts';
import type { SentOutcome } from './parse-outcome.ts';
import { fingerprintOf, type OutcomeEffect, settleStatements } from './settle-statements.ts';

export interface OutcomeOwner {
  readonly organizationId: OrganizationId;
  readonly livemode: boolean;
}

/** Returns what each outcome changed. Fails with `RATE_LIMIT_EXCEEDED` if more than `newMax` of them are new. */
export async function recordStatements(
  tx: WriteTransaction,
  owner: OutcomeOwner,
  sent: readonly SentOutcome[],
  recordedAt: Date,
  newMax = Infinity,
): Promise<readonly OutcomeEffect[]> {
  // Locks out other senders, so that the versions of a key are numbered without gaps.
  await lockOrganization(tx, 'outcomes', owner.organizationId);
  const keys = [...new Set(sent.map(({ key }) => key))];
  const last = await findLastStatements(tx, { ...owner, keys });
  const fingerprints = sent.map(({ fingerprint }) => fingerprint);
  const known = await findKnownFingerprints(tx, { ...owner, keys, fingerprints });
  const settled = settleStatements(
    sent,
    {
      last: last.map((one) => ({ ...one, statedAt: requireInstant('stated_at', canonicalInstant(one.statedAt)) })),
      fingerprints: new Set(known.map(fingerprintOf)),
    },
    instantOf(recordedAt),
  );
  requireRoom(settled.versions.length, newMax);
  if (settled.versions.length > 0) {
    await ensureHome(tx, owner.organizationId);
    await tx.run(INSERT_VERSIONS, { ...owner, recordedAt, items: JSON.stringify(settled.versions) });
  }
  if (settled.current.length > 0) await tx.run(SAVE_OUTCOMES, { ...owner, items: JSON.stringify(settled.current) });
  if (settled.counted.length > 0)
    await tx.run(SAVE_VERSION_COUNTS, { ...owner, items: JSON.stringify(settled.counted) });
  return settled.effects;
}

/** Checked before anything is written. A resend is not new, so a retry can succeed when the rate limit is used up. */
export function requireRoom(newOutcomes: number, newMax: number): void {
  if (newOutcomes > newMax)
    fail('RATE_LIMIT_EXCEEDED', `The rate limit does not allow ${newOutcomes} new outcomes now`, {
      newEvents: newOutcomes,
    });
}
