/**
 * Brings an organization's commitments up to date: reads days that are settled or have changed, one transaction each, then
 * computes spend and shortfalls and appends the differences. It can be interrupted and repeated.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Amount } from '#kernel/money.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { now } from '#platform/clock.ts';
import type { Database } from '#platform/database/open-database.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { liftTimeLimit } from '#platform/database/sql.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { findClosedUntil } from '../ledger/cost-closing.table.ts';
import { differencesOf, entriesToAppend } from '../provider-costs/append-differences.ts';
import { readDayCosts } from '../provider-costs/day-costs.query.ts';
import { type CostCell, isSelected } from '../provider-costs/selected-costs.ts';
import { DAYS_PER_STEP, REREAD_AFTER_MS, settledUntil } from '../provider-costs/settled-days.ts';
import { shareRates } from '../rates/rate-generation.table.ts';
import type { Commitment } from './commitment.ts';
import {
  listCommitmentDays,
  listOpenCommitmentDays,
  markCommitmentDaysComputed,
  needsComputing,
  saveCommitmentDay,
} from './commitment-day.table.ts';
import { type BookedAmount, insertCommitmentEntry, listBookedAmounts } from './commitment-entry.table.ts';
import { listCommitmentRows, markCommitmentsComputed } from './commitment.table.ts';
import { type CommitmentAmount, fulfilCommitment, type SpentDay } from './fulfil-commitment.ts';

/** Returns true if days are left to read. Entries are computed when all are read, so that a shortfall is final. */
export async function computeCommitments(database: Database, organizationId: OrganizationId): Promise<boolean> {
  const at = now();
  const days = await database.system(async (tx) => {
    await liftTimeLimit(tx);
    return listOpenCommitmentDays(tx, {
      organizationId,
      until: settledUntil(at),
      readBefore: new Date(at.getTime() - REREAD_AFTER_MS),
      limit: DAYS_PER_STEP,
    });
  });
  for (const { day, ids } of days)
    await database.system(async (tx) => {
      await liftTimeLimit(tx);
      const counted = (await listCommitmentRows(tx, organizationId)).filter(({ id }) => ids.includes(id));
      const providers = [...new Set(counted.map(({ providerSlug }) => providerSlug))];
      const [read] = await readDayCosts(tx, organizationId, providers, { fromDay: day, untilDay: addDays(day, 1) });
      // Without the lock, a concurrent computation would mark the day as computed without having read it.
      await lockOrganization(tx, 'commitments', organizationId);
      for (const commitment of counted)
        await saveCommitmentDay(
          tx,
          organizationId,
          commitment,
          { ...read!, spent: spentOf(commitment, read!.cells) },
          at,
        );
    });
  if (days.length > 0) return true;
  await database.system(async (tx) => {
    if (await needsComputing(tx, organizationId)) await bookDifferences(tx, organizationId);
  });
  return false;
}

async function bookDifferences(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await liftTimeLimit(tx);
  // Makes the closing of a month wait for this transaction, as for pricing.
  await shareRates(tx);
  await lockOrganization(tx, 'commitments', organizationId);
  const before = await listBookedAmounts(tx, organizationId);
  const after = computedAmounts(
    await listCommitmentRows(tx, organizationId),
    await listCommitmentDays(tx, organizationId),
  );
  const entries = entriesToAppend(differencesOf<AmountOfCommitment>(before, after, commitmentKey), before, {
    ownerOf: ({ commitmentId }) => commitmentId,
    closedUntil: await findClosedUntil(tx, organizationId),
  });
  for (const entry of entries) await insertCommitmentEntry(tx, organizationId, entry);
  await markCommitmentDaysComputed(tx, organizationId);
  await markCommitmentsComputed(tx, organizationId);
}

/** Costs of a commitment's models on a day. */
export function spentOf(
  { providerSlug, models }: Pick<Commitment, 'providerSlug' | 'models'>,
  cells: readonly CostCell[],
): Amount {
  const selection = { providerSlug, models, classes: null };
  return cells.reduce((total, cell) => (isSelected(selection, cell) ? total + cell.cost : total), 0n);
}

export type AmountOfCommitment = CommitmentAmount & Pick<BookedAmount, 'commitmentId'>;

/** The amounts that the entries of all commitments must add up to. */
export function computedAmounts(
  commitments: readonly Commitment[],
  days: ReadonlyMap<string, readonly SpentDay[]>,
): AmountOfCommitment[] {
  return commitments
    .filter(({ isRemoved }) => !isRemoved)
    .flatMap((commitment) =>
      fulfilCommitment(commitment, days.get(commitment.id) ?? []).map((found) => ({
        ...found,
        commitmentId: commitment.id,
      })),
    );
}

/** Key for the sum of a commitment, a day and a cause. */
export function commitmentKey({ commitmentId, day, cause }: AmountOfCommitment): string {
  return `${commitmentId} ${day} ${cause}`;
}
