/** Divides the difference of costs between two windows into volume, mix and rate (decision 48). */
import type { Amount } from '../../../kernel/money.ts';

/** What one group cost in one window. */
export interface GroupCost {
  /** What tells groups apart. */
  readonly value: string | null;
  readonly cost: Amount;
  /** Completed events; a correction adds to the cost alone. */
  readonly eventCount: number;
}

/** The three parts add up to cost less previous cost, to the last digit. */
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
 * With N events and C cost in all, n and c those of a group, `₀` before: volume is `c₀ × (N / N₀ − 1)`, what the group would cost more if
 * everything had grown alike; mix is `n × c₀ / n₀ − c₀ × N / N₀`, what it costs more because its share of events changed; rate is
 * `c − n × c₀ / n₀`, what it costs more because an event of it does. A group without events before is all mix, one without events now
 * takes its cost away by volume and mix. Without any events before, everything is volume. Both divisions round half-up at 15 digits.
 *
 * The group of the largest difference comes first.
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

/** All of them together. */
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
