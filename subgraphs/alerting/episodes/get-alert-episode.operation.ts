/** Returns one episode. */
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { listEpisodes } from './alert-episode.table.ts';
import { type AlertEpisodeView, scopesOf, toAlertEpisodeView } from './alert-episode-view.ts';

/** Null if it does not exist or the caller may not read it. */
export async function getAlertEpisode(context: SubgraphContext, id: string): Promise<AlertEpisodeView | null> {
  const organizationId = organizationOf(context);
  if (!isUuid(id)) return null;
  const filter = { state: null, ruleId: null, id, scopes: scopesOf(context.principal) };
  const [episode] = await context.database.snapshot(organizationId, (tx) =>
    listEpisodes(tx, organizationId, filter, { limit: 1, offset: 0 }),
  );
  return episode ? toAlertEpisodeView(episode) : null;
}
