/**
 * Brings an organization's credits up to date: reads days that are settled or have changed, one transaction each, then
 * computes what credits paid for and appends the differences. It can be interrupted and repeated.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { now } from '#platform/clock.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import type { Database } from '#platform/database/open-database.ts';
import { liftTimeLimit } from '#platform/database/sql.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { findClosedUntil } from '../ledger/cost-closing.table.ts';
import { differencesOf, entriesToAppend } from '../provider-costs/append-differences.ts';
import { readDayCosts } from '../provider-costs/day-costs.query.ts';
import { DAYS_PER_STEP, REREAD_AFTER_MS, settledUntil } from '../provider-costs/settled-days.ts';
import { shareRates } from '../rates/rate-generation.table.ts';
import { type Burn, burnCredits } from './burn-credits.ts';
import { listCreditDays, listOpenDays, markDaysBurnt, needsBurn, saveCreditDay } from './provider-credit-day.table.ts';
import { insertCreditEntry, listBurns } from './provider-credit-entry.table.ts';
import { listCreditRows, markCreditsBurnt } from './provider-credit.table.ts';

/** Key for the sum of a credit, a day and a cause. */
export function burnKey({ creditId, day, cause }: Burn): string {
  return `${creditId} ${day} ${cause}`;
}

/** Returns true if days are left to read. Credits are computed when all are read, so that an expiry is final. */
export async function burnSettledDays(database: Database, organizationId: OrganizationId): Promise<boolean> {
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
      // Without the lock, a concurrent computation would mark the day as computed without having read it.
      await lockOrganization(tx, 'providerCredits', organizationId);
      await saveCreditDay(tx, organizationId, read!, at);
    });
  if (days.length > 0) return true;
  await database.system(async (tx) => {
    if (await needsBurn(tx, organizationId)) await burn(tx, organizationId);
  });
  return false;
}

async function burn(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await liftTimeLimit(tx);
  // Makes the closing of a month wait for this transaction, as for pricing.
  await shareRates(tx);
  await lockOrganization(tx, 'providerCredits', organizationId);
  const credits = (await listCreditRows(tx, organizationId)).filter(({ isRemoved }) => !isRemoved);
  const before = await listBurns(tx, organizationId);
  const after = burnCredits(credits, await listCreditDays(tx, organizationId));
  const entries = entriesToAppend(differencesOf<Burn>(before, after, burnKey), before, {
    ownerOf: ({ creditId }) => creditId,
    closedUntil: await findClosedUntil(tx, organizationId),
  });
  for (const entry of entries) await insertCreditEntry(tx, organizationId, entry);
  await markDaysBurnt(tx, organizationId);
  await markCreditsBurnt(tx, organizationId);
}
