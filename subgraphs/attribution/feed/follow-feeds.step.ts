/**
 * One step of the follower, for several organizations. Facts, rollups, end users and the new offsets are committed
 * together or not at all.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { isContentError } from '#platform/content-error.ts';
import { coversAllOrganizations } from '#platform/database/nodes/distribution.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { counter } from '#platform/metrics.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import type { FeedMark } from '#schema/priced-feed.ts';
import { FACTS_PER_TRANSACTION, PAIRS_PER_TRANSACTION, PLACES_PER_TRANSACTION } from '../config.ts';
import { rememberEndUsers } from '../end-users/end-user.table.ts';
import { applyFacts } from '../rollups/apply-facts.step.ts';
import { arrivingFacts, earliestEndUsers } from '../rollups/arriving-fact.ts';
import { feedPages, type FeedPages } from './feed-pages.step.ts';
import {
  type AdvancedOffset,
  advanceOffsets,
  claimOffsets,
  type ClaimedOffset,
  startOffsets,
} from './feed-offset.table.ts';
import { planStep, type Step, type StepBounds, type Turn, unusedParts } from './plan-step.ts';
import { applyWithQuarantine } from './apply-with-quarantine.step.ts';

const attributedFacts = counter('books_cost_facts_attributed_total', 'Facts that attribution has applied.');

export const STEP_BOUNDS: StepBounds = { factsMax: FACTS_PER_TRANSACTION, pairsMax: PAIRS_PER_TRANSACTION };

export type FollowerDependencies = Pick<SubgraphDependencies, 'database' | 'gateway' | 'log'>;

export type Offsets = readonly (FeedMark & { readonly organizationId: OrganizationId })[];

export interface Followed {
  /** Committed offsets, to be reported to costing. */
  readonly places: Offsets;
  /** True if anything was written or started, so another step may find more. */
  readonly hasMoved: boolean;
  /** True if another follower held some of the organizations. */
  readonly hasMetAnother: boolean;
  /** Organizations that were left for the next step, because it was not their turn. */
  readonly left: readonly string[];
  /** Organizations of which some facts remain. */
  readonly unfinished: readonly string[];
  /** Pairs of fact and key that were written, and how long that took. */
  readonly pairs: number;
  readonly milliseconds: number;
}

/**
 * A server crash may lose the last steps, offsets and facts alike. They are then repeated from the feed, or from the
 * ledger if costing has already pruned what was acknowledged.
 */
const FACTS_COME_AGAIN = { isDurable: false } as const;

const NOTHING: Followed = {
  places: [],
  hasMoved: false,
  hasMetAnother: false,
  left: [],
  unfinished: [],
  pairs: 0,
  milliseconds: 0,
};

export interface FollowOptions {
  readonly bounds?: StepBounds;
  readonly placesMax?: number;
  readonly turn?: Turn;
  /** Called with the offsets that this step is about to commit, and whether facts of an organization will remain. */
  readonly onComing?: (places: Offsets, isUnfinished: boolean) => void;
  /** If given, the next pages are read while these facts are written. */
  readonly pages?: FeedPages;
}

/**
 * Writes the next facts of some of these organizations, as many as fit in a transaction. Organizations held by another
 * follower are left to it. Facts that the database rejects are set aside and delay no other organization.
 */
export async function followFeeds(
  dependencies: FollowerDependencies,
  organizationIds: readonly OrganizationId[],
  options: FollowOptions = {},
): Promise<Followed> {
  const { database, log } = dependencies;
  const { placesMax = PLACES_PER_TRANSACTION } = options;
  if (!coversAllOrganizations(database.orm) && organizationIds.length > 1)
    return followEach(dependencies, organizationIds.slice(0, placesMax), options);
  let held: readonly ClaimedOffset[] = [];
  let followed: Followed;
  try {
    followed = await database.system(async (tx) => {
      held = await claimOffsets(tx, organizationIds, placesMax);
      return followHeld(tx, dependencies, held, options, applyBatch);
    }, FACTS_COME_AGAIN);
  } catch (error) {
    if (!isContentError(error)) throw error;
    log.warn({ err: error, organizations: held.length }, 'A batch of facts could not be applied');
    return followOneByOne(dependencies, held, options.bounds);
  }
  if (held.length === Math.min(organizationIds.length, placesMax)) return followed;
  const started = await database.system((tx) => startOffsets(tx, organizationIds));
  return started.length > 0 ? followFeeds(dependencies, started, options) : { ...followed, hasMetAnother: true };
}

/** On several nodes each organization has its own transaction. */
async function followEach(
  dependencies: FollowerDependencies,
  organizationIds: readonly OrganizationId[],
  { bounds, onComing, turn }: FollowOptions,
): Promise<Followed> {
  const left = [...organizationIds];
  const followed: Followed[] = [];
  const errors: unknown[] = [];
  const coming: Offsets[number][] = [];
  let isUnfinished = false;
  const options = {
    ...(bounds && { bounds }),
    ...(turn && { turn }),
    onComing: (places: Offsets, isOneUnfinished: boolean) => {
      coming.push(...places);
      isUnfinished ||= isOneUnfinished;
    },
  };
  await Promise.all(
    Array.from({ length: FOLLOWED_AT_ONCE }, async () => {
      for (let id = left.shift(); id !== undefined; id = left.shift()) {
        if (left.length === 0) onComing?.(coming, isUnfinished);
        await followFeeds(dependencies, [id], options).then(
          (one) => followed.push(one),
          (error: unknown) => errors.push(error),
        );
      }
    }),
  );
  // An unreachable organization does not delay the others.
  if (followed.length === 0) throw errors[0];
  for (const error of errors)
    dependencies.log.warn({ err: error }, 'The feed of an organization could not be processed');
  return together(followed);
}

const FOLLOWED_AT_ONCE = 4;

function together(followed: readonly Followed[]): Followed {
  return {
    places: followed.flatMap(({ places }) => places),
    hasMoved: followed.some(({ hasMoved }) => hasMoved),
    hasMetAnother: followed.some(({ hasMetAnother }) => hasMetAnother),
    left: followed.flatMap(({ left }) => left),
    unfinished: followed.flatMap(({ unfinished }) => unfinished),
    pairs: followed.reduce((sum, { pairs }) => sum + pairs, 0),
    milliseconds: followed.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
  };
}

async function followOneByOne(
  dependencies: FollowerDependencies,
  places: readonly ClaimedOffset[],
  bounds: StepBounds = STEP_BOUNDS,
): Promise<Followed> {
  const followed: Followed[] = [];
  for (const { organizationId } of places) {
    followed.push(
      await dependencies.database.system(async (tx) => {
        const held = await claimOffsets(tx, [organizationId], 1);
        return followHeld(tx, dependencies, held, { bounds }, applyEachWithQuarantine);
      }),
    );
  }
  return together(followed);

  async function applyEachWithQuarantine(tx: WriteTransaction, { portions, moved }: Step): Promise<void> {
    const arrivals = arrivalsOf(moved);
    for (const portion of portions)
      await applyWithQuarantine(tx, portion, arrivals.get(portion.organizationId) ?? '0', dependencies.log);
  }
}

async function followHeld(
  tx: WriteTransaction,
  { gateway, log }: FollowerDependencies,
  places: readonly ClaimedOffset[],
  { bounds = STEP_BOUNDS, onComing, pages, turn }: FollowOptions,
  take: (tx: WriteTransaction, step: Step) => Promise<void>,
): Promise<Followed> {
  if (places.length === 0) return NOTHING;
  const parts = await (pages ?? feedPages({ gateway })).read(places, bounds.factsMax);
  const step = planStep(places, parts, bounds, turn);
  const coming = step.moved.map(({ organizationId, number, token }) => ({ organizationId, number, token }));
  const unfinished = step.moved.flatMap(({ organizationId, number, taken, head }) =>
    number < head || taken > 0 ? [organizationId] : [],
  );
  onComing?.(coming, unfinished.length > 0);
  const isLeft = ({ organizationId }: { readonly organizationId: OrganizationId }) =>
    step.left.includes(organizationId);
  const unused = unusedParts(places, step.moved, parts, bounds);
  const isUnused = ({ organizationId }: AdvancedOffset) =>
    unused.some((part) => part.organizationId === organizationId);
  pages?.readAhead(
    step.moved.filter((place) => place.number < place.head && !isUnused(place)),
    bounds.factsMax,
    {
      places: [...places.filter(isLeft), ...step.moved.filter(isUnused)],
      parts: [...parts.filter(isLeft), ...unused],
    },
  );
  const started = elapsedMilliseconds();
  await take(tx, step);
  const milliseconds = elapsedMilliseconds() - started;
  const before = new Map(places.map((place) => [place.organizationId, place]));
  const changed = step.moved.filter((to) => hasChanged(before.get(to.organizationId), to));
  await advanceOffsets(tx, changed);
  for (const organizationId of step.lost)
    log.warn(
      { organizationId, place: before.get(organizationId)?.number },
      'The feed does not know this offset: comparing the organization with the ledger',
    );
  attributedFacts.inc(step.portions.reduce((facts, portion) => facts + portion.facts.length, 0));
  return {
    places: coming,
    hasMoved: changed.length > 0,
    hasMetAnother: false,
    left: step.left,
    unfinished,
    pairs: step.pairs,
    milliseconds,
  };
}

async function applyBatch(tx: WriteTransaction, { portions, moved }: Step): Promise<void> {
  await rememberEndUsers(tx, earliestEndUsers(portions));
  await applyFacts(tx, arrivingFacts(portions), arrivalsOf(moved));
}

function arrivalsOf(moved: Step['moved']): ReadonlyMap<string, string> {
  return new Map(moved.map(({ organizationId, arrival }) => [organizationId, arrival]));
}

function hasChanged(before: ClaimedOffset | undefined, to: Step['moved'][number]): boolean {
  if (!before) return false;
  return (
    before.number !== to.number || before.token !== to.token || before.taken !== to.taken || before.replay !== to.replay
  );
}
