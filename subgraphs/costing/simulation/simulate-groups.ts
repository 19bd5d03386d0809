/** Sums the hypothetical cost of groups of events by end user, and unchanged costs by reason. */
import { type Amount, amount } from '#kernel/money.ts';
import type { Changes } from './parse-changes.ts';
import type { PricedGroup } from './priced-groups.query.ts';
import {
  type DifferenceRange,
  type NotSimulatedReason,
  type SimulatedGroup,
  type SimulationCards,
  simulation,
} from './simulate-group.ts';

interface KeptEvents {
  readonly reason: NotSimulatedReason;
  readonly detail: string;
  readonly modelSlug: string;
  readonly eventCount: number;
  readonly cost: Amount;
}

interface SimulatedGroups {
  readonly byEndUser: ReadonlyMap<string, DifferenceRange>;
  /** The difference for events without an end user. */
  readonly unassigned: DifferenceRange;
  /** Events that keep their cost, costliest first. */
  readonly kept: KeptEvents[];
}

export function simulateGroups(
  groups: readonly PricedGroup[],
  changes: Changes,
  cards: SimulationCards,
): SimulatedGroups {
  const simulate = simulation(changes, cards);
  const byEndUser = new Map<string, DifferenceRange>();
  const kept = new Map<string, KeptEvents>();
  let unassigned: DifferenceRange = { low: 0n, expected: 0n, high: 0n };
  for (const group of groups) {
    const result = simulate(group);
    if (result.kind === 'kept') keep(kept, group, result);
    if (result.kind !== 'changed') continue;
    const { externalId } = group;
    if (externalId === null) unassigned = add(unassigned, result.difference);
    else byEndUser.set(externalId, add(byEndUser.get(externalId), result.difference));
  }
  return {
    byEndUser,
    unassigned,
    kept: [...kept.values()].sort((one, other) => (one.cost > other.cost ? -1 : Number(one.cost < other.cost))),
  };
}

function add(one: DifferenceRange | undefined, other: DifferenceRange): DifferenceRange {
  if (one === undefined) return other;
  return { low: one.low + other.low, expected: one.expected + other.expected, high: one.high + other.high };
}

function keep(
  kept: Map<string, KeptEvents>,
  { modelSlug, events, cost }: PricedGroup,
  { reason, detail }: Extract<SimulatedGroup, { kind: 'kept' }>,
): void {
  const key = `${reason} ${modelSlug} ${detail}`;
  const before = kept.get(key);
  kept.set(key, {
    reason,
    detail,
    modelSlug,
    eventCount: (before?.eventCount ?? 0) + events,
    cost: (before?.cost ?? 0n) + amount(cost),
  });
}
