/** Computes how a fixed cost would be divided among end users, from the usage of past days. Stores nothing. */
import type { Amount } from '#kernel/money.ts';
import { checkFirst } from '#kernel/page-cursor.ts';
import { instantOf } from '#kernel/time/instant.ts';
import type { Window } from '#kernel/time/window.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { LEDGER_ENTRIES_MAX } from '../config.ts';
import { hasMoreEntries } from '../ledger/ledger-costs.query.ts';
import type { FixedCostSaveInput } from '../resolvers.generated.ts';
import { allocateDay, type Carrier, usedMeasure } from './allocate-day.ts';
import { amountOfDay, daysBetween } from './amount-of-day.ts';
import { daysOfWindow } from './days.ts';
import { readUse } from './driver-use.query.ts';
import { listFixedCostRows } from './fixed-cost.table.ts';
import { parseFixedCost } from './parse-fixed-cost.ts';
import { refuseDoubleReplacement } from './refuse-double-replacement.ts';
import { withReplacedCosts } from './replaced-costs.ts';

const DAYS_MAX = 31;
const END_USERS_MAX = 1_000;

/** Fails like `fixedCostSave`, and with `UNPROCESSABLE_ENTITY` for more than 31 days or a million ledger entries. */
export async function previewFixedCost(
  context: SubgraphContext,
  input: FixedCostSaveInput,
  window: Window,
  first: number,
) {
  checkFirst(first, END_USERS_MAX);
  const organizationId = organizationOf(context);
  const today = now().toISOString().slice(0, 10);
  const terms = parseFixedCost(input, today);
  const { fromDay, untilDay: end } = daysOfWindow(window);
  const untilDay = end < today ? end : today;
  const dayCount = Math.max(0, daysBetween(fromDay, untilDay));
  if (dayCount > DAYS_MAX)
    fail('UNPROCESSABLE_ENTITY', `A preview can cover at most ${DAYS_MAX} days: choose a shorter window`);
  const uses = await context.database.snapshot(organizationId, async (tx) => {
    if (terms.replacesModelCost) refuseDoubleReplacement(terms, await listFixedCostRows(tx, organizationId));
    if (dayCount === 0) return [];
    const days = { start: instantOf(new Date(fromDay)), end: instantOf(new Date(untilDay)) };
    if (await hasMoreEntries(tx, { organizationId, window: days, asOf: null }, LEDGER_ENTRIES_MAX))
      fail('UNPROCESSABLE_ENTITY', `The window has more than ${LEDGER_ENTRIES_MAX} entries: choose a shorter window`);
    return readUse(tx, organizationId, terms, { fromDay, untilDay });
  });
  const carried: Record<Carrier, Amount> = { end_user: 0n, unassigned: 0n, idle: 0n, unallocated: 0n };
  const byEndUser = new Map<string, Amount>();
  let measured: Amount | null = 0n;
  let replaced = 0n;
  for (const use of uses) {
    const dayAmount = amountOfDay(terms.periods, use.day);
    if (dayAmount === null) continue;
    const ofDay = usedMeasure(terms, use.uses);
    measured = measured === null || ofDay === null ? null : measured + ofDay;
    const shares = withReplacedCosts(terms, allocateDay(terms, dayAmount, use.uses), use.uses);
    for (const { carrier, externalId, amount, replacedCost } of shares) {
      carried[carrier] += amount;
      replaced += replacedCost;
      if (carrier === 'end_user' && amount !== 0n)
        byEndUser.set(externalId, (byEndUser.get(externalId) ?? 0n) + amount);
    }
  }
  const endUsers = [...byEndUser].toSorted(([one, a], [other, b]) =>
    a === b ? (one < other ? -1 : 1) : a < b ? 1 : -1,
  );
  return {
    total: carried.end_user + carried.unassigned + carried.idle + carried.unallocated,
    allocated: carried.end_user,
    unassigned: carried.unassigned,
    idle: carried.idle,
    unallocated: carried.unallocated,
    usedMeasure: measured,
    replacedCost: replaced,
    endUsers: endUsers.slice(0, first).map(([externalId, amount]) => ({ endUser: { externalId }, amount })),
    endUserCount: endUsers.length,
  };
}
