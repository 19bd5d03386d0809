/**
 * Books costs of a closed month in the first open one; counts stay in their month (decision 29; decision 9, D48). Times are ISO
 * 8601 UTC with six fraction digits.
 */
import type { EventId } from '#kernel/ids.ts';
import { type CostFact, lateCostSequence } from '#schema/priced-feed.ts';
import { byCost, byTokens, costOf, isRequired } from '#schema/token-classes.ts';
import { amountsOf, quantitiesOf } from './charge-lines.ts';
import type { NewCostEntry } from './cost-entry.table.ts';
import type { HourChange } from './cost-hour.table.ts';

export interface Bookable {
  readonly entries: readonly NewCostEntry[];
  readonly facts: readonly CostFact[];
  readonly hours: readonly HourChange[];
}

/**
 * `closedUntil` is the first instant still open; null if nothing is closed. Events count at their own time, costs at
 * the booked time.
 */
export function bookLate<Booked extends Bookable>(booked: Booked, closedUntil: string | null): Booked {
  if (closedUntil === null) return booked;
  const untilMs = Date.parse(closedUntil);
  // A correction has token counts if a later report of the call replaced them.
  const reported = new Set(booked.entries.filter(({ cause }) => cause === 'reported').map(placeOf));
  return {
    ...booked,
    entries: booked.entries.map((entry) =>
      entry.eventTime < closedUntil ? { ...entry, bookedTime: closedUntil } : entry,
    ),
    facts: booked.facts.flatMap((fact) =>
      bookFact(
        fact,
        fact.eventTime < closedUntil ? closedUntil : null,
        fact.sequence === 0 || reported.has(placeOf(fact)),
      ),
    ),
    hours: booked.hours.flatMap((change) => {
      const { totalCost, ...counts } = change;
      return totalCost === undefined || change.atMs >= untilMs ? [change] : [counts, { atMs: untilMs, totalCost }];
    }),
  };
}

/**
 * Returns the facts of one entry. `bookedTime` null: it is booked at its event's own time. For a late entry with
 * tokens, a second fact has the cost at the booked time; the first keeps the event, its tokens and the quantities of its
 * charges at the event's time.
 */
export function bookFact(fact: CostFact, bookedTime: string | null, isCounted: boolean): CostFact[] {
  if (bookedTime === null) return [fact];
  const booked = { ...fact, charges: amountsOf(fact.charges), eventTime: bookedTime };
  if (!isCounted) return [booked];
  const costs = byCost<string, string | null>((name) => (fact[costOf(name)] === null ? null : '0'));
  const tokens = byTokens<number, number | null>((name) => (isRequired(name) ? 0 : null));
  return [
    { ...fact, ...costs, charges: quantitiesOf(fact.charges), totalCost: '0' },
    { ...booked, ...tokens, sequence: lateCostSequence(fact.sequence) },
  ];
}

function placeOf({ eventId, sequence }: { readonly eventId: EventId; readonly sequence: number }): string {
  return `${eventId}/${sequence}`;
}
