/**
 * Chooses the facts of a feed page that one transaction writes. The cost of a fact grows with its organization's
 * keys, so pairs of fact and key are limited and a batch may take several transactions. Organizations whose facts do
 * not fit have steps of their own, which alternate with steps of all the others: an organization with few facts never
 * shares a step with one that has many.
 */
import type { FeedMark, FeedPart, ReplayCursor } from '#schema/priced-feed.ts';
import type { Portion } from '../rollups/arriving-fact.ts';
import type { ClaimedOffset, AdvancedOffset } from './feed-offset.table.ts';

export interface StepBounds {
  readonly factsMax: number;
  readonly pairsMax: number;
}

export interface Step {
  readonly portions: readonly Portion[];
  readonly moved: readonly AdvancedOffset[];
  /** Organizations whose offset is not in this feed's history. */
  readonly lost: readonly string[];
  /** Pairs of fact and key. */
  readonly pairs: number;
  /** Organizations with facts that were left to the next step, because it was not their turn. */
  readonly left: readonly string[];
}

/**
 * The kind of organization to process next if both kinds have facts: with few facts, or with many. With `only few`,
 * organizations with many facts are never processed.
 */
export type Turn = 'few' | 'many' | 'only few';

/** Pairs are divided evenly among the waiting organizations, but into at most this many shares. */
const SHARES_MAX = 4;

/** `parts` is costing's response for `places`. At least one fact is taken if there is one, whatever the limits. */
export function planStep(
  places: readonly ClaimedOffset[],
  parts: readonly FeedPart[],
  bounds: StepBounds,
  turn: Turn = 'few',
): Step {
  const partOf = new Map(parts.map((part) => [part.organizationId, part]));
  const left = new Set(leftOut(places, partOf, bounds, turn));
  const waiting = parts.filter(({ batches, organizationId }) => batches.length > 0 && !left.has(organizationId)).length;
  const share = Math.floor(bounds.pairsMax / Math.min(Math.max(waiting, 1), SHARES_MAX));
  const room = { facts: bounds.factsMax, pairs: bounds.pairsMax };
  const portions: Portion[] = [];
  const moved: AdvancedOffset[] = [];
  const lost: string[] = [];
  for (const place of places) {
    const part = partOf.get(place.organizationId);
    if (!part || left.has(place.organizationId)) continue;
    if (!part.isKnown) {
      lost.push(place.organizationId);
      moved.push(replayFrom(place, part.head));
      continue;
    }
    const keys = Math.max(place.keys, 1);
    const least = portions.length === 0 ? 1 : 0;
    const factsMax = Math.max(Math.min(room.facts, Math.floor(Math.min(room.pairs, share) / keys)), least);
    const { portion, to } = takeBatches(place, part, factsMax);
    room.facts -= portion.facts.length;
    room.pairs -= portion.facts.length * keys;
    if (portion.facts.length > 0 || portion.endUsers.length > 0) portions.push(portion);
    moved.push(to);
  }
  return { portions, moved, lost, pairs: bounds.pairsMax - room.pairs, left: [...left] };
}

/** Organizations that must wait for their turn. */
function leftOut(
  places: readonly ClaimedOffset[],
  partOf: ReadonlyMap<string, FeedPart>,
  { factsMax, pairsMax }: StepBounds,
  turn: Turn,
): string[] {
  const waiting = places.filter(({ organizationId }) => (partOf.get(organizationId)?.batches.length ?? 0) > 0);
  const { few = [], many = [] } = Object.groupBy(waiting, ({ organizationId, number, taken, keys }) => {
    const { batches, head } = partOf.get(organizationId)!;
    const facts = batches.reduce((sum, batch) => sum + batch.facts.length, -taken);
    const isAll = (batches.at(-1)?.number ?? number) >= (head?.number ?? 0);
    return isAll && facts * SHARES_MAX <= Math.min(factsMax, pairsMax / Math.max(keys, 1)) ? 'few' : 'many';
  });
  if (turn !== 'only few' && (few.length === 0 || many.length === 0)) return [];
  return (turn === 'many' ? few : many).map(({ organizationId }) => organizationId);
}

/**
 * The parts that still contain enough facts for another step. They need not be read again, since a page may contain the
 * facts of many steps.
 */
export function unusedParts(
  places: readonly ClaimedOffset[],
  moved: readonly AdvancedOffset[],
  parts: readonly FeedPart[],
  { factsMax, pairsMax }: StepBounds,
): FeedPart[] {
  const keysOf = new Map(places.map(({ organizationId, keys }) => [organizationId, Math.max(keys, 1)]));
  const movedTo = new Map(moved.map((to) => [to.organizationId, to]));
  return parts.flatMap((part) => {
    const to = movedTo.get(part.organizationId);
    const keys = keysOf.get(part.organizationId);
    if (!to || keys === undefined || !part.isKnown) return [];
    const batches = part.batches.filter(({ number }) => number > to.number);
    const facts = batches.reduce((sum, batch) => sum + batch.facts.length, -to.taken);
    return facts >= Math.min(factsMax, pairsMax / keys) ? [{ ...part, batches }] : [];
  });
}

/** Position before the first ledger entry. */
export const REPLAY_START: ReplayCursor = {
  phase: 'entries',
  eventId: '00000000-0000-0000-0000-000000000000',
  sequence: -1,
};

/**
 * Moves the offset to the head and starts to compare the ledger from its beginning. Existing facts stay; facts that
 * the ledger does not contain are deleted.
 */
function replayFrom(place: ClaimedOffset, head: FeedMark | null): AdvancedOffset {
  const { number, token } = head ?? { number: 0, token: null };
  return {
    ...place,
    number,
    token,
    taken: 0,
    evidence: null,
    head: number,
    replay: { cursor: REPLAY_START, removed: place.replay?.removed ?? 0, sumsAll: place.replay?.sumsAll ?? false },
  };
}

function takeBatches(place: ClaimedOffset, part: FeedPart, factsMax: number): { portion: Portion; to: AdvancedOffset } {
  const facts: Portion['facts'][number][] = [];
  const endUsers: Portion['endUsers'][number][] = [];
  let { number, token, taken, evidence } = place;
  for (const batch of part.batches) {
    if (taken === 0) endUsers.push(...batch.endUsers);
    const fresh = batch.facts.slice(taken, taken + factsMax - facts.length);
    facts.push(...fresh);
    taken += fresh.length;
    if (taken < batch.facts.length) {
      if (taken > 0 && (evidence === null || evidence.number < batch.number)) evidence = mark(batch);
      break;
    }
    ({ number, token } = batch);
    taken = 0;
  }
  if (evidence !== null && evidence.number <= number) evidence = null;
  return {
    portion: { organizationId: place.organizationId, facts, endUsers },
    to: {
      ...place,
      number,
      token,
      taken,
      evidence,
      head: part.head?.number ?? 0,
      arrival: facts.length > 0 ? String(BigInt(place.arrival) + 1n) : place.arrival,
    },
  };
}

function mark({ number, token }: FeedMark): FeedMark {
  return { number, token };
}
