/**
 * Stores a consumer's acknowledgements since its last request, and lists the organizations with batches for it. Checks
 * heads marked as ahead, and every few seconds all heads: a consumer that is new or was set back may be behind heads
 * that are not marked.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { elapsedMilliseconds, now } from '#platform/clock.ts';
import { coversAllOrganizations } from '#platform/database/nodes/distribution.ts';
import { lookAcross, lookIn } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { unavailability } from '#platform/unavailability.ts';
import { FEED_PLACES_MAX, GLOBAL_TENANT } from '../config.ts';
import { checkAtMost, checkFollower } from './check-follower.ts';
import { type Acknowledgement, REPLAYABLE, advanceAcknowledgements } from './feed-acknowledgement.table.ts';
import { registerFollower } from './feed-follower.table.ts';
import { waitingFeeds } from './feed-parts.query.ts';
import { parseFeedOffsets } from './parse-feed-offset.ts';

export interface AcknowledgeFeedsRequest {
  readonly follower: string;
  /** Positions that were committed. */
  readonly acknowledged?: unknown;
  /** Positions about to be committed; not an acknowledgement. */
  readonly coming?: unknown;
  /** The list begins after this organization and wraps around. */
  readonly after?: string | null | undefined;
  readonly max: number;
}

const FULL_SCAN_MILLISECONDS = 5_000;

interface FullScan {
  readonly at: number;
  /** True if the limit was reached: there may be more. */
  readonly isFull: boolean;
}

const fullScans = new WeakMap<Database, Map<string, FullScan>>();

/** Returns at most `max` organization ids. Fails with `VALIDATION_ERROR` for invalid positions. */
export async function acknowledgeFeeds(
  context: SubgraphContext,
  { follower, acknowledged, coming, after, max }: AcknowledgeFeedsRequest,
): Promise<string[]> {
  checkFollower(follower);
  checkAtMost('max', max, FEED_PLACES_MAX);
  const places = parseFeedOffsets(acknowledged ?? []);
  const heads = parseFeedOffsets(coming ?? []);
  const { database } = context;
  const scan = (everywhere: boolean) =>
    waitingFeeds(follower, { coming: heads, after: after ?? GLOBAL_TENANT, max, everywhere });
  const across = (everywhere: boolean) => lookAcross(database, scan(everywhere));
  const feeds = !coversAllOrganizations(database.orm)
    ? await listByOrganization(database, follower, places, across, max)
    : places.length === 0 && !isDue(lastFullScan(database, follower))
      ? await scanHeads(database, follower, max, across)
      : await database.system(async (tx) => {
          await registerFollower(tx, follower, now());
          await advanceAcknowledgements(tx, follower, places);
          return scanHeads(database, follower, max, (everywhere) => lookIn(tx, scan(everywhere)));
        }, REPLAYABLE);
  return feeds.map(({ organizationId }) => organizationId);
}

type Feeds = readonly { readonly organizationId: OrganizationId }[];
type Scan = (everywhere: boolean) => Promise<Feeds>;

function lastFullScan(database: Database, follower: string): FullScan | null {
  return fullScans.get(database)?.get(follower) ?? null;
}

/** True if it is time to check all heads, and to register the consumer if it is unknown. */
function isDue(last: FullScan | null): boolean {
  return last === null || elapsedMilliseconds() >= last.at + FULL_SCAN_MILLISECONDS;
}

async function scanHeads(database: Database, follower: string, max: number, scan: Scan): Promise<Feeds> {
  const last = lastFullScan(database, follower);
  const at = elapsedMilliseconds();
  if (!isDue(last)) {
    const ahead = await scan(false);
    if (!last?.isFull || ahead.length >= max) return ahead;
  }
  const feeds = await scan(true);
  const scans = fullScans.get(database) ?? new Map<string, FullScan>();
  fullScans.set(database, scans.set(follower, { at, isFull: feeds.length >= max }));
  return feeds;
}

/**
 * Stores each position in a separate transaction. A position on an unreachable node is sent again with the next
 * request.
 */
async function listByOrganization(
  database: Database,
  follower: string,
  places: readonly Acknowledgement[],
  scan: Scan,
  max: number,
): Promise<Feeds> {
  await database.system((tx) => registerFollower(tx, follower, now()), REPLAYABLE);
  for (const place of places)
    await database
      .system((tx) => advanceAcknowledgements(tx, follower, [place]), REPLAYABLE)
      .catch((error: unknown) => {
        if (unavailability(error) === null) throw error;
      });
  return scanHeads(database, follower, max, scan);
}
