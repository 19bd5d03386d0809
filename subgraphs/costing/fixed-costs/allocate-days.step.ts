/**
 * Allocates settled days of an organization's fixed costs, one transaction per day. Each can be interrupted and
 * repeated: a day whose computation is up to date gets no further entries.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { type Amount, money, plain, sum } from '#kernel/money.ts';
import { HOUR_MS } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import type { Database } from '#platform/database/open-database.ts';
import { liftTimeLimit } from '#platform/database/sql.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { findClosedUntil } from '../ledger/cost-closing.table.ts';
import { shareRates } from '../rates/rate-generation.table.ts';
import { allocateDay, usedMeasure } from './allocate-day.ts';
import { findRevision, listOpenAllocations, type OpenAllocation, saveAllocationDay } from './allocation-day.table.ts';
import { insertAllocationEntries, readShares } from './allocation-entry.table.ts';
import { amountOfDay } from './amount-of-day.ts';
import { readUse, type UseOfDay } from './driver-use.query.ts';
import type { FixedCost } from './fixed-cost.ts';
import { listFixedCostRows, lockFixedCost } from './fixed-cost.table.ts';
import { carrierKey, type DayShare, isEmpty, withReplacedCosts } from './replaced-costs.ts';

/** Most late events of a day have arrived after this time; later ones cause a revision. */
const SETTLED_AFTER_MS = 2 * HOUR_MS;

/** Minimum time between two computations of a day for which events keep arriving. */
const RECOMPUTED_AFTER_MS = HOUR_MS;

/** Maximum number of days looked up at once. */
const DAYS_PER_CHECK = 200;

/** The first day that is not settled at an instant. */
function settledUntil(at: Date): string {
  return new Date(at.getTime() - SETTLED_AFTER_MS).toISOString().slice(0, 10);
}

/** The next days to allocate, earliest first, without days in `skipped`. */
export async function findOpenAllocations(
  database: Database,
  organizationId: OrganizationId,
  skipped: readonly OpenAllocation[],
): Promise<{ readonly days: readonly OpenAllocation[]; readonly hasMore: boolean }> {
  const at = now();
  const found = await database.system(async (tx) => {
    await liftTimeLimit(tx);
    return listOpenAllocations(tx, {
      organizationId,
      until: settledUntil(at),
      allocatedBefore: new Date(at.getTime() - RECOMPUTED_AFTER_MS),
      limit: DAYS_PER_CHECK + skipped.length,
    });
  });
  const keyOf = ({ fixedCostId, day }: OpenAllocation) => `${fixedCostId} ${day}`;
  const keys = new Set(skipped.map(keyOf));
  const days = found.filter((each) => !keys.has(keyOf(each))).slice(0, DAYS_PER_CHECK);
  return { days, hasMore: days.length === DAYS_PER_CHECK };
}

/** Does nothing if the fixed cost was changed, or an end user erased, since the use was read: the next round repeats it. */
export async function allocateOpenDay(
  database: Database,
  organizationId: OrganizationId,
  { fixedCostId, day }: OpenAllocation,
): Promise<void> {
  const read = await database.system(async (tx) => {
    await liftTimeLimit(tx);
    const [fixedCost] = await listFixedCostRows(tx, organizationId, { id: fixedCostId });
    if (fixedCost === undefined) return null;
    const [use] = await readUse(tx, organizationId, fixedCost, { fromDay: day, untilDay: addDays(day, 1) });
    return { fixedCost, use: use! };
  });
  if (read === null) return;
  const { fixedCost, use } = read;
  await database.system(async (tx) => {
    // Makes the closing of a month wait for this transaction, as for pricing.
    await shareRates(tx);
    await lockOrganization(tx, 'allocations', organizationId);
    const present = await lockFixedCost(tx, organizationId, fixedCost.id);
    if (present?.revision === fixedCost.revision && present.erasures === fixedCost.erasures)
      await store(tx, organizationId, fixedCost, use);
  });
}

async function store(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  fixedCost: FixedCost,
  { day, uses, counters }: UseOfDay,
): Promise<void> {
  const key = { organizationId, fixedCostId: fixedCost.id, day };
  // Null: the day no longer belongs to a period, so its entries are reverted.
  const dayAmount = amountOfDay(fixedCost.periods, day);
  const shares = dayAmount === null ? [] : withReplacedCosts(fixedCost, allocateDay(fixedCost, dayAmount, uses), uses);
  const before = await findRevision(tx, key);
  const differences = differencesOf(await readShares(tx, key), shares);
  const revision = before === 0 || differences.length > 0 ? before + 1 : before;
  const closedUntil = (await findClosedUntil(tx, organizationId))?.slice(0, 10) ?? day;
  await insertAllocationEntries(tx, key, {
    revision,
    bookedDay: closedUntil > day ? closedUntil : day,
    shares: differences,
  });
  const carried = (...carriers: readonly string[]): Amount =>
    shares.filter(({ carrier }) => carriers.includes(carrier)).reduce((total, share) => total + share.amount, 0n);
  const driverTotal = usedMeasure(fixedCost, uses);
  await saveAllocationDay(tx, {
    ...key,
    revision,
    amount: plain(dayAmount ?? 0n),
    used: plain(carried('end_user', 'unassigned')),
    idle: plain(carried('idle')),
    driverTotal: driverTotal === null ? null : plain(driverTotal),
    capacity: fixedCost.capacity === null ? null : plain(fixedCost.capacity),
    replacedCost: plain(shares.reduce((total, share) => total + share.replacedCost, 0n)),
    modelCost: plain(sum(uses.map(({ cost }) => money(cost)))),
    listCost: plain(sum(uses.map(({ listCost }) => money(listCost)))),
    termsRevision: fixedCost.revision,
    ledgerEvents: counters.events,
    ledgerCost: counters.cost,
    ledgerQuantity: counters.quantity,
    allocatedAt: now(),
  });
}

/** Differences that turn `before` into `after`. */
function differencesOf(before: readonly DayShare[], after: readonly DayShare[]): DayShare[] {
  const differences = new Map<string, DayShare>();
  const add = (share: DayShare, sign: 1n | -1n) => {
    const key = carrierKey(share);
    const {
      measure,
      amount: carried,
      replacedCost,
    } = differences.get(key) ?? {
      measure: 0n,
      amount: 0n,
      replacedCost: 0n,
    };
    differences.set(key, {
      ...share,
      measure: measure + sign * share.measure,
      amount: carried + sign * share.amount,
      replacedCost: replacedCost + sign * share.replacedCost,
    });
  };
  for (const share of before) add(share, -1n);
  for (const share of after) add(share, 1n);
  return [...differences.values()].filter((share) => !isEmpty(share));
}
