/** Verifies days soon after they change, and starts a full round once a day. */
import { type Job, UPKEEP_SHARE } from '#platform/job-loop.ts';
import { observedGauge } from '#platform/metrics.ts';
import { VERIFY_CHANGED_DAYS, VERIFY_REST_SECONDS } from '../config.ts';
import { type ChangedDay, clearChangedDays, listChangedDays } from '../rollups/changed-day.table.ts';
import { countDifferingDays, saveDifferences } from './book-difference.table.ts';
import { markVerified } from './book-state.table.ts';
import { beginRounds, readRoundAge } from './due-rounds.step.ts';
import { type Verification, verifyDays } from './verify-days.step.ts';

/** A day that keeps changing is still verified now and then. Each verification reads the whole day. */
const PACE = { quietSeconds: 15, movingSeconds: 600 };

export function verifyChanges(verification: Verification, pace = PACE): Job {
  const { database } = verification;
  const counted = (name: 'days' | 'organizations') => async () =>
    (await database.system(countDifferingDays).catch(() => null))?.[name] ?? null;
  observedGauge('books_verify_differing_days', 'Days whose books differ.', counted('days'));
  observedGauge('books_verify_differing_organizations', 'Organizations whose books differ.', counted('organizations'));
  observedGauge('books_verify_round_age_seconds', 'Time since the last full verification finished.', async () =>
    database.system(readRoundAge).catch(() => null),
  );
  return {
    name: 'verify-changes',
    restMilliseconds: VERIFY_REST_SECONDS * 1_000,
    share: UPKEEP_SHARE,
    async step() {
      const changed = await listChangedDays(database, { ...pace, max: VERIFY_CHANGED_DAYS });
      const verified = await verifyBatch(verification, changed);
      await beginRounds(database);
      return changed.length === VERIFY_CHANGED_DAYS && verified > 0 ? 'more' : 'idle';
    },
  };
}

/**
 * If that fails, verifies each organization separately, so that one cannot delay the others. Returns the number of
 * verified days.
 */
async function verifyBatch(verification: Verification, changed: readonly ChangedDay[]): Promise<number> {
  if (changed.length === 0) return 0;
  try {
    return await verifyChanged(verification, changed);
  } catch (error) {
    const organizations = [...Map.groupBy(changed, ({ organizationId }) => organizationId).values()];
    if (organizations.length === 1) throw error;
    const outcomes = [];
    for (const days of organizations) outcomes.push(await verifyChanged(verification, days).catch(() => null));
    if (outcomes.every((verified) => verified === null)) throw error;
    return outcomes.reduce<number>((sum, verified) => sum + (verified ?? 0), 0);
  }
}

async function verifyChanged(verification: Verification, changed: readonly ChangedDay[]): Promise<number> {
  const { days, differences } = await verifyDays(verification, changed);
  const verified = new Set(days.map(({ organizationId, day }) => `${organizationId} ${day}`));
  await verification.database.system(async (tx) => {
    await saveDifferences(tx, days, differences);
    await markVerified(
      tx,
      days.map(({ organizationId }) => organizationId),
      false,
    );
    await clearChangedDays(
      tx,
      changed.filter(({ organizationId, day }) => verified.has(`${organizationId} ${day}`)),
    );
  });
  return days.length;
}
