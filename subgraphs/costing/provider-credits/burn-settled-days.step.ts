/**
 * Brings an organization's credits up to date: reads days that are settled or have changed, one transaction each, then
 * computes what credits paid for and appends the differences. It can be interrupted and repeated.
 */
import { addDays } from '#kernel/time/utc-day.ts';
import type { Amount } from '#kernel/money.ts';
import { HOUR_MS } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import type { Database } from '#platform/database/open-database.ts';
import { liftTimeLimit } from '#platform/database/sql.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { findClosedUntil } from '../ledger/cost-closing.table.ts';
import { shareRates } from '../rates/rate-generation.table.ts';
import { type Burn, burnCredits } from './burn-credits.ts';
import { readDayCosts } from './day-costs.query.ts';
import { listCreditDays, listOpenDays, markDaysBurnt, needsBurn, saveCreditDay } from './provider-credit-day.table.ts';
import { insertCreditEntry, listBurns } from './provider-credit-entry.table.ts';
import { listCreditRows, markCreditsBurnt } from './provider-credit.table.ts';

/** Most late events of a day have arrived by then; the others cause a revision. */
const SETTLED_AFTER_MS = 2 * HOUR_MS;

/** A day that events keep arriving for is read at most this often. */
const REREAD_AFTER_MS = HOUR_MS;

const DAYS_PER_STEP = 20;

/** The first day that is not settled at an instant. */
export function settledUntil(at: Date): string {
  return new Date(at.getTime() - SETTLED_AFTER_MS).toISOString().slice(0, 10);
}

/** Returns true if days are left to read. Credits are computed when all are read, so that an expiry is final. */
export async function burnSettledDays(database: Database, organizationId: string): Promise<boolean> {
  const at = now();
  const until = settledUntil(at);
  const { days, providers } = await database.system(async (tx) => {
    await liftTimeLimit(tx);
    const credits = await listCreditRows(tx, organizationId);
    const readBefore = new Date(at.getTime() - REREAD_AFTER_MS);
    return {
      providers: [...new Set(credits.filter(({ isRemoved }) => !isRemoved).map((credit) => credit.providerSlug))],
      days: await listOpenDays(tx, { organizationId, until, readBefore, limit: DAYS_PER_STEP }),
    };
  });
  for (const day of days)
    await database.system(async (tx) => {
      await liftTimeLimit(tx);
      const [read] = await readDayCosts(tx, organizationId, providers, { fromDay: day, untilDay: addDays(day, 1) });
      // A computation that runs at the same time would otherwise mark the day without having read it.
      await lockOrganization(tx, 'providerCredits', organizationId);
      await saveCreditDay(tx, organizationId, read!, at);
    });
  if (days.length > 0) return true;
  await database.system(async (tx) => {
    if (await needsBurn(tx, organizationId)) await burn(tx, organizationId);
  });
  return false;
}

async function burn(tx: WriteTransaction, organizationId: string): Promise<void> {
  await liftTimeLimit(tx);
  // Closing a month waits for this transaction, as it does for pricing.
  await shareRates(tx);
  await lockOrganization(tx, 'providerCredits', organizationId);
  const credits = (await listCreditRows(tx, organizationId)).filter(({ isRemoved }) => !isRemoved);
  const before = await listBurns(tx, organizationId);
  const after = burnCredits(credits, await listCreditDays(tx, organizationId));
  const closedUntil = (await findClosedUntil(tx, organizationId))?.slice(0, 10) ?? '';
  const revisions = new Map<string, number>();
  for (const { creditId, revision } of before)
    revisions.set(creditId, Math.max(revision, revisions.get(creditId) ?? 0));
  for (const difference of differencesOf(before, after))
    await insertCreditEntry(tx, organizationId, {
      ...difference,
      revision: (revisions.get(difference.creditId) ?? 0) + 1,
      bookedDay: closedUntil > difference.day ? closedUntil : difference.day,
    });
  await markDaysBurnt(tx, organizationId);
  await markCreditsBurnt(tx, organizationId);
}

/** What must be added to `before` to get `after`. */
export function differencesOf(before: readonly Burn[], after: readonly Burn[]): Burn[] {
  const differences = new Map<string, Burn>();
  const add = (one: Burn, added: Amount) => {
    const { creditId, day, cause } = one;
    const key = `${creditId} ${day} ${cause}`;
    differences.set(key, { creditId, day, cause, amount: (differences.get(key)?.amount ?? 0n) + added });
  };
  for (const one of before) add(one, -one.amount);
  for (const one of after) add(one, one.amount);
  return [...differences.values()].filter(({ amount }) => amount !== 0n);
}
