/** Lists episodes of rules whose figures the caller may read. */
import { type Connection, parsePage, toConnection } from '#kernel/page-cursor.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { EPISODES_PER_PAGE_MAX } from '../config.ts';
import type { QueryAlertEpisodesArgs } from '../resolvers.generated.ts';
import { countEpisodes, type EpisodeFilter, listEpisodes } from './alert-episode.table.ts';
import { type AlertEpisodeView, scopesOf, toAlertEpisodeView } from './alert-episode-view.ts';

/** Newest first. Fails with `VALIDATION_ERROR` for an invalid page or rule id. */
export async function listAlertEpisodes(
  context: SubgraphContext,
  { state, ruleId, first, after }: QueryAlertEpisodesArgs & { readonly first: number },
): Promise<Connection<AlertEpisodeView>> {
  const organizationId = organizationOf(context);
  const page = parsePage({ first, after }, EPISODES_PER_PAGE_MAX);
  if (typeof ruleId === 'string' && !isUuid(ruleId)) fail('VALIDATION_ERROR', 'ruleId must be the id of a rule');
  const filter: EpisodeFilter = {
    state: state ?? null,
    ruleId: ruleId ?? null,
    id: null,
    scopes: scopesOf(context.principal),
  };
  return context.database.snapshot(organizationId, async (tx) => {
    const episodes = await listEpisodes(tx, organizationId, filter, page);
    const count = await countEpisodes(tx, organizationId, filter);
    return toConnection(episodes.map(toAlertEpisodeView), count, page);
  });
}
