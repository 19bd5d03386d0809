/**
 * Says which organizations have batches for a follower, and takes what it has made its own since it last asked. It looks where a head is
 * marked as ahead, and every few seconds everywhere: a follower that is new, or was set back, is behind heads that no one raises.
 */
import { elapsedMilliseconds, now } from '../../../platform/clock.ts';
import { isDistributed } from '../../../platform/database/nodes/distribution.ts';
import { lookAcross, lookIn } from '../../../platform/database/nodes/look-across.ts';
import type { Database } from '../../../platform/database/open-database.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { unavailability } from '../../../platform/unavailability.ts';
import { FEED_PLACES_MAX, GLOBAL_TENANT } from '../config.ts';
import { checkAtMost, checkFollower } from './check-follower.ts';
import { type Acknowledgement, ACKNOWLEDGED_AGAIN, raiseAcknowledgements } from './feed-acknowledgement.table.ts';
import { registerFollower } from './feed-follower.table.ts';
import { waitingFeeds } from './feed-parts.query.ts';
import { parseFeedPlaces } from './parse-feed-place.ts';

export interface WaitingFeedsQuery {
  readonly follower: string;
  /** Places that were committed. */
  readonly acknowledged?: unknown;
  /** Places that are being reached: no word for anything. */
  readonly coming?: unknown;
  /** Organizations after this one come first. */
  readonly after?: string | null | undefined;
  readonly max: number;
}

const EVERYWHERE_MILLISECONDS = 5_000;

interface LookEverywhere {
  readonly at: number;
  /** As many as were wanted: there may be more. */
  readonly isFull: boolean;
}

const looksOf = new WeakMap<Database, Map<string, LookEverywhere>>();

export async function listWaitingFeeds(
  context: SubgraphContext,
  { follower, acknowledged, coming, after, max }: WaitingFeedsQuery,
): Promise<string[]> {
  checkFollower(follower);
  checkAtMost('max', max, FEED_PLACES_MAX);
  const places = parseFeedPlaces(acknowledged ?? []);
  const heads = parseFeedPlaces(coming ?? []);
  const { database } = context;
  const look = (everywhere: boolean) =>
    waitingFeeds(follower, { coming: heads, after: after ?? GLOBAL_TENANT, max, everywhere });
  const across = (everywhere: boolean) => lookAcross(database, look(everywhere));
  const feeds = isDistributed(database.orm.em)
    ? await listOnNodes(database, follower, places, across, max)
    : places.length === 0 && !isDue(lookOf(database, follower))
      ? await lookFirstAhead(database, follower, max, across)
      : await database.acrossOrganizations(async (em) => {
          await registerFollower(em, follower, now());
          await raiseAcknowledgements(em, follower, places);
          return lookFirstAhead(database, follower, max, (everywhere) => lookIn(em, look(everywhere)));
        }, ACKNOWLEDGED_AGAIN);
  return feeds.map(({ organizationId }) => organizationId);
}

type Feeds = readonly { readonly organizationId: string }[];
type LookAt = (everywhere: boolean) => Promise<Feeds>;

function lookOf(database: Database, follower: string): LookEverywhere | null {
  return looksOf.get(database)?.get(follower) ?? null;
}

/** Whether it is time to look everywhere, and to see to it that the follower is known. */
function isDue(last: LookEverywhere | null): boolean {
  return last === null || elapsedMilliseconds() >= last.at + EVERYWHERE_MILLISECONDS;
}

async function lookFirstAhead(database: Database, follower: string, max: number, look: LookAt): Promise<Feeds> {
  const last = lookOf(database, follower);
  const at = elapsedMilliseconds();
  if (!isDue(last)) {
    const ahead = await look(false);
    if (!last?.isFull || ahead.length >= max) return ahead;
  }
  const feeds = await look(true);
  const looks = looksOf.get(database) ?? new Map<string, LookEverywhere>();
  looksOf.set(database, looks.set(follower, { at, isFull: feeds.length >= max }));
  return feeds;
}

/** Each place in a transaction of its own. One on a node that is away is said again by the next request. */
async function listOnNodes(
  database: Database,
  follower: string,
  places: readonly Acknowledgement[],
  look: LookAt,
  max: number,
): Promise<Feeds> {
  await database.acrossOrganizations((em) => registerFollower(em, follower, now()), ACKNOWLEDGED_AGAIN);
  for (const place of places)
    await database
      .acrossOrganizations((em) => raiseAcknowledgements(em, follower, [place]), ACKNOWLEDGED_AGAIN)
      .catch((error: unknown) => {
        if (unavailability(error) === null) throw error;
      });
  return lookFirstAhead(database, follower, max, look);
}
