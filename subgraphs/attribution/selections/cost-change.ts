/** Splits the difference in costs between two windows into volume, mix and rate (decision 48). */
import type { Amount } from '#kernel/money.ts';

/** Cost of one group in one window. */
export interface GroupCost {
  /** Identifies the group. */
  readonly value: string | null;
  readonly cost: Amount;
  /** Completed events; a correction changes only the cost. */
  readonly eventCount: number;
}

/** Volume, mix and rate add up to `cost` minus `previousCost`, to the last digit. */
export interface CostChangeParts {
  readonly previousCost: Amount;
  readonly cost: Amount;
  readonly difference: Amount;
  readonly previousEventCount: number;
  readonly eventCount: number;
  readonly volume: Amount;
  readonly mix: Amount;
  readonly rate: Amount;
}

export interface GroupChange extends CostChangeParts {
  readonly value: string | null;
}

/**
 * With N events and cost C in total, n and c those of a group, and `₀` the earlier window:
 * Volume is `c₀ × (N / N₀ − 1)`: what the group would cost more if all groups had grown alike. Mix is `n × c₀ / n₀ −
 * c₀ × N / N₀`: what it costs more because its share of events changed. Rate is `c − n × c₀ / n₀`: what it costs more
 * because each event does.
 * The cost of a group without earlier events is all mix. A group without current events loses its cost through volume
 * and mix. Without any earlier events, everything is volume. Both divisions round half-up at 15 digits. The group with
 * the largest difference is first.
 */
export function divideChange(before: readonly GroupCost[], after: readonly GroupCost[]): GroupChange[] {
  const [eventsBefore, events] = [eventsOf(before), eventsOf(after)];
  const previous = new Map(before.map((group) => [group.value, group]));
  const current = new Map(after.map((group) => [group.value, group]));
  return [...new Set([...previous.keys(), ...current.keys()])]
    .map((value): GroupChange => {
      const { cost: previousCost, eventCount: previousEventCount } = previous.get(value) ?? NOTHING;
      const { cost, eventCount } = current.get(value) ?? NOTHING;
      const grown = eventsBefore === 0 ? cost : scaled(previousCost, events, eventsBefore);
      const atOldRate =
        eventsBefore === 0 || previousEventCount === 0 ? cost : scaled(previousCost, eventCount, previousEventCount);
      return {
        value,
        previousCost,
        cost,
        difference: cost - previousCost,
        previousEventCount,
        eventCount,
        volume: grown - previousCost,
        mix: atOldRate - grown,
        rate: cost - atOldRate,
      };
    })
    .sort(largestFirst);
}

const NOTHING = { cost: 0n, eventCount: 0 };

const NO_CHANGE: CostChangeParts = {
  previousCost: 0n,
  cost: 0n,
  difference: 0n,
  previousEventCount: 0,
  eventCount: 0,
  volume: 0n,
  mix: 0n,
  rate: 0n,
};

/** Sum of all changes. */
export function sumChanges(changes: readonly CostChangeParts[]): CostChangeParts {
  return changes.reduce(
    (sum, change) => ({
      previousCost: sum.previousCost + change.previousCost,
      cost: sum.cost + change.cost,
      difference: sum.difference + change.difference,
      previousEventCount: sum.previousEventCount + change.previousEventCount,
      eventCount: sum.eventCount + change.eventCount,
      volume: sum.volume + change.volume,
      mix: sum.mix + change.mix,
      rate: sum.rate + change.rate,
    }),
    NO_CHANGE,
  );
}

function eventsOf(groups: readonly GroupCost[]): number {
  return groups.reduce((count, group) => count + group.eventCount, 0);
}

/** `cost × count / of`, half-up (away from zero). */
function scaled(cost: Amount, count: number, of: number): Amount {
  const [product, divisor] = [cost * BigInt(count), BigInt(of)];
  const half = divisor / 2n;
  return (product < 0n ? product - half : product + half) / divisor;
}

function largestFirst(one: GroupChange, other: GroupChange): number {
  const [size, otherSize] = [absolute(one.difference), absolute(other.difference)];
  if (size !== otherSize) return size > otherSize ? -1 : 1;
  return (one.value ?? '') < (other.value ?? '') ? -1 : 1;
}

function absolute(value: Amount): Amount {
  return value < 0n ? -value : value;
}
