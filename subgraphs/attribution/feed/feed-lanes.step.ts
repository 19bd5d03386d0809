/**
 * State shared by the two followers of a process. The main follower serves every organization. The second one serves
 * organizations with few facts while the main one is busy with an organization that has many.
 */
import { askGateway } from '#platform/ask-gateway.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { FOLLOWER, WAITING_FEEDS_MAX } from '../config.ts';
import type { Followed, Offsets } from './follow-feeds.step.ts';

const DOCUMENT =
  internalGraphql(`mutation AcknowledgeFeeds($follower: String!, $acknowledged: JSON, $coming: JSON, $after: ID, $max: Int!) {
  acknowledgeFeeds(follower: $follower, acknowledged: $acknowledged, coming: $coming, after: $after, max: $max)
}`);

export interface FeedLanes {
  /** True while the main follower is in a step that takes long. */
  isBusy: boolean;
  /** Organizations that had more facts than fit into a step when they were last followed. */
  readonly long: ReadonlySet<string>;
  /** Organizations that the second follower is following. */
  readonly held: Set<string>;
  /**
   * Records a step, whose offsets are committed. `left`: the organizations that it skipped because they have many
   * facts.
   */
  record(followed: Followed, left: readonly string[]): void;
  /** Reports committed offsets to costing. Returns the organizations with facts after these and after `coming`. */
  look(after: string | null, coming?: Offsets): Promise<readonly string[]>;
}

export function feedLanes({ gateway }: Pick<SubgraphDependencies, 'gateway'>): FeedLanes {
  const long = new Set<string>();
  /**
   * Offsets that are committed but not yet reported. If a report is lost with the process or a request, the next
   * request with the offset makes up for it.
   */
  const acknowledged = new Map<string, Offsets[number]>();
  return {
    isBusy: false,
    long,
    held: new Set(),
    record({ places, unfinished }, left) {
      for (const place of places) {
        acknowledged.set(place.organizationId, place);
        long.delete(place.organizationId);
      }
      for (const organizationId of [...unfinished, ...left]) long.add(organizationId);
    },
    async look(after, coming = []) {
      const variables = {
        follower: FOLLOWER,
        acknowledged: [...acknowledged.values()],
        coming,
        after,
        max: WAITING_FEEDS_MAX,
      };
      acknowledged.clear();
      const principal = servicePrincipal(FOLLOWER, randomUuid());
      return (await askGateway(gateway, DOCUMENT, variables, principal)).acknowledgeFeeds;
    },
  };
}
