/**
 * Cuts a page of the feed into transactions that commit soon. What an organization's facts cost grows with its keys, so the pairs of
 * facts and keys are bounded; and anyone who has few of them goes before anyone who has many.
 */
import type { PricedBatch } from '../../../schema/priced-feed.ts';

export interface SliceBounds {
  readonly factsMax: number;
  readonly pairsMax: number;
}

/** Facts and end users of one organization. */
export type Portion = Pick<PricedBatch, 'organizationId' | 'facts' | 'endUsers'>;

/** Portions of each transaction. `keysOf` says how many keys of the organization take facts. At least one fact goes into each. */
export function planSlices(
  batches: readonly PricedBatch[],
  keysOf: (organizationId: string) => number,
  bounds: SliceBounds,
): Portion[][] {
  const portions = [...Map.groupBy(batches, ({ organizationId }) => organizationId)].map(([organizationId, ofOne]) => ({
    organizationId,
    facts: ofOne.flatMap(({ facts }) => facts),
    endUsers: ofOne.flatMap(({ endUsers }) => endUsers),
  }));
  const weight = ({ organizationId, facts }: Portion) => facts.length * keysOf(organizationId);
  const slices: Portion[][] = [];
  let room = { facts: 0, pairs: 0 };
  for (const portion of portions.toSorted((one, other) => weight(one) - weight(other))) {
    const keys = Math.max(keysOf(portion.organizationId), 1);
    let rest: Portion | null = portion;
    while (rest !== null) {
      const fitting = Math.min(room.facts, Math.floor(room.pairs / keys));
      if (slices.length === 0 || (fitting === 0 && rest.facts.length > 0)) {
        slices.push([]);
        // However many keys: some fact is brought each time.
        room = { facts: bounds.factsMax, pairs: Math.max(bounds.pairsMax, keys) };
        continue;
      }
      slices.at(-1)!.push({ ...rest, facts: rest.facts.slice(0, fitting) });
      const taken = Math.min(fitting, rest.facts.length);
      room = { facts: room.facts - taken, pairs: room.pairs - taken * keys };
      rest = rest.facts.length > fitting ? { ...rest, facts: rest.facts.slice(fitting), endUsers: [] } : null;
    }
  }
  return slices;
}
