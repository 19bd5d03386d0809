/** The difference in costs between two windows, by group and by cause (decision 48). */
import { absolute, type Amount } from '#kernel/money.ts';

/** Cost of one group in one window. */
export interface GroupCost {
  /** Identifies the group. */
  readonly value: string | null;
  readonly cost: Amount;
  /** Completed events; a correction changes only the cost. */
  readonly eventCount: number;
}

export interface CostDifference {
  readonly previousCost: Amount;
  readonly cost: Amount;
  readonly difference: Amount;
  readonly previousEventCount: number;
  readonly eventCount: number;
}

export interface GroupDifference extends CostDifference {
  readonly value: string | null;
}

const NOTHING = { cost: 0n, eventCount: 0 };

/** The group with the largest difference is first. */
export function compareGroups(before: readonly GroupCost[], after: readonly GroupCost[]): GroupDifference[] {
  const previous = new Map(before.map((group) => [group.value, group]));
  const current = new Map(after.map((group) => [group.value, group]));
  return [...new Set([...previous.keys(), ...current.keys()])]
    .map((value) => ({ value, ...differenceOf(previous.get(value) ?? NOTHING, current.get(value) ?? NOTHING) }))
    .sort(largestFirst);
}

/** Sum of all differences. */
export function sumDifferences(differences: readonly CostDifference[]): CostDifference {
  return differences.reduce(
    (sum, one) => ({
      previousCost: sum.previousCost + one.previousCost,
      cost: sum.cost + one.cost,
      difference: sum.difference + one.difference,
      previousEventCount: sum.previousEventCount + one.previousEventCount,
      eventCount: sum.eventCount + one.eventCount,
    }),
    differenceOf(NOTHING, NOTHING),
  );
}

/** Calls of one agent with one model in one window, without corrections of closed months. */
export interface Calls extends GroupCost {
  /**
   * Token classes with a price of their own. Counts of input include cached tokens for some senders, and counts of
   * output include reasoning: each class lists the possible counts.
   */
  readonly classes: Readonly<Record<string, { readonly cost: Amount; readonly tokens: readonly bigint[] }>>;
}

/** Amounts by cause. They add up to the difference exactly. */
export interface ChangeCauses {
  readonly calls: Amount;
  readonly mix: Amount;
  readonly size: Amount;
  readonly price: Amount;
}

/**
 * N and C are all calls and their cost, n and c the calls and cost of one agent with one model, and `₀` marks the earlier
 * window:
 * Calls is `C₀ × (N / N₀ − 1)`: what more calls of the same kind would have cost. Mix is the sum of `n × c₀ / n₀` minus
 * `C₀ × N / N₀`: other models or agents; all costs of new ones. Price is the sum of `c − q × c₀ / q₀` over the tokens q
 * of each class. Size is the remainder of `c − n × c₀ / n₀`: more tokens or units a call.
 * Without earlier calls, everything is calls. Divisions round half-up at 15 digits.
 */
export function explainChange(before: readonly Calls[], after: readonly Calls[]): ChangeCauses {
  const [callsBefore, calls] = [callsOf(before), callsOf(after)];
  const [costBefore, cost] = [costOf(before), costOf(after)];
  if (callsBefore === 0) return { calls: cost - costBefore, mix: 0n, size: 0n, price: 0n };
  const grown = scaled(costBefore, BigInt(calls), BigInt(callsBefore));
  const previous = new Map(before.map((group) => [group.value, group]));
  let atOldCost = 0n;
  let price = 0n;
  for (const group of after) {
    const earlier = previous.get(group.value);
    if (earlier === undefined || earlier.eventCount === 0) atOldCost += group.cost;
    else {
      atOldCost += scaled(earlier.cost, BigInt(group.eventCount), BigInt(earlier.eventCount));
      price += priceEffect(earlier, group);
    }
  }
  return { calls: grown - costBefore, mix: atOldCost - grown, size: cost - atOldCost - price, price };
}

/** Differences below a millionth of the cost come from rounding. */
const EXACT_PART = 1_000_000n;

function priceEffect(before: Calls, after: Calls): Amount {
  let effect = 0n;
  for (const [name, now] of Object.entries(after.classes)) {
    const earlier = before.classes[name];
    if (earlier === undefined) continue;
    // Counts whose cost per token changed least are the ones that were charged.
    const effects = now.tokens.flatMap((tokens, index) => {
      const was = earlier.tokens[index] ?? 0n;
      return tokens > 0n && was > 0n ? [now.cost - scaled(earlier.cost, tokens, was)] : [];
    });
    const least = effects.toSorted((one, other) => compare(absolute(one), absolute(other)))[0] ?? 0n;
    if (absolute(least) * EXACT_PART > absolute(now.cost)) effect += least;
  }
  return effect;
}

function differenceOf(
  before: Pick<GroupCost, 'cost' | 'eventCount'>,
  after: Pick<GroupCost, 'cost' | 'eventCount'>,
): CostDifference {
  return {
    previousCost: before.cost,
    cost: after.cost,
    difference: after.cost - before.cost,
    previousEventCount: before.eventCount,
    eventCount: after.eventCount,
  };
}

function callsOf(groups: readonly GroupCost[]): number {
  return groups.reduce((count, group) => count + group.eventCount, 0);
}

function costOf(groups: readonly GroupCost[]): Amount {
  return groups.reduce((sum, group) => sum + group.cost, 0n);
}

/** `cost × count / of`, half-up (away from zero). */
function scaled(cost: Amount, count: bigint, of: bigint): Amount {
  const product = cost * count;
  const half = of / 2n;
  return (product < 0n ? product - half : product + half) / of;
}

function largestFirst(one: GroupDifference, other: GroupDifference): number {
  const order = compare(absolute(other.difference), absolute(one.difference));
  return order === 0 ? ((one.value ?? '') < (other.value ?? '') ? -1 : 1) : order;
}

function compare(one: bigint, other: bigint): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
