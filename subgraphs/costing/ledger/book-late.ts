/** Books what belongs to a closed month in the first open one (decision 29). Times are ISO 8601 UTC with six fraction digits. */
import type { CostFact } from '../../../schema/priced-feed.ts';
import type { NewCostEntry } from './cost-entry.table.ts';
import type { HourChange } from './cost-hour.table.ts';

export interface Bookable {
  readonly entries: readonly NewCostEntry[];
  readonly facts: readonly CostFact[];
  readonly hours: readonly HourChange[];
}

/** `closedUntil` is the first instant that is open; null: everything is. Events are counted when they were, costs are booked. */
export function bookLate<Booked extends Bookable>(booked: Booked, closedUntil: string | null): Booked {
  if (closedUntil === null) return booked;
  const untilMs = Date.parse(closedUntil);
  return {
    ...booked,
    entries: booked.entries.map((entry) =>
      entry.eventTime < closedUntil ? { ...entry, bookedTime: closedUntil } : entry,
    ),
    facts: booked.facts.map((fact) => bookFact(fact, fact.eventTime < closedUntil ? closedUntil : null)),
    hours: booked.hours.flatMap((change) => {
      const { totalCost, ...counts } = change;
      return totalCost === undefined || change.atMs >= untilMs ? [change] : [counts, { atMs: untilMs, totalCost }];
    }),
  };
}

/** A fact under the time at which its entry is booked; null: its own. */
export function bookFact(fact: CostFact, bookedTime: string | null): CostFact {
  return bookedTime === null ? fact : { ...fact, eventTime: bookedTime };
}
