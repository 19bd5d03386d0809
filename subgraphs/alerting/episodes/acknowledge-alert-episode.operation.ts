/** Acknowledges an open episode. */
import { isUuid } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { acknowledgeEpisode, listEpisodes } from './alert-episode.table.ts';
import { type AlertEpisodeView, scopesOf, toAlertEpisodeView } from './alert-episode-view.ts';

/**
 * An acknowledged episode is left unchanged. Fails with `NOT_FOUND`, and with `VALIDATION_ERROR` if the episode has
 * ended.
 */
export async function acknowledgeAlertEpisode(context: SubgraphContext, id: string): Promise<AlertEpisodeView> {
  const organizationId = organizationOf(context);
  const { principal } = context;
  const filter = { state: null, ruleId: null, id, scopes: scopesOf(principal) };
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const find = async () =>
      isUuid(id) ? (await listEpisodes(tx, organizationId, filter, { limit: 1, offset: 0 }))[0] : undefined;
    const known = await find();
    if (!known) return fail('NOT_FOUND', 'id: alert not found');
    if (known.closedAt !== null) fail('VALIDATION_ERROR', 'id: this alert is already closed');
    if (await acknowledgeEpisode(tx, organizationId, id, at, principal.accountUserId))
      await recordAudit(tx, {
        organizationId,
        at,
        action: 'alert_episode.acknowledged',
        ...actorOf(principal),
        subjectId: id,
        detail: known.groupName,
      });
    return toAlertEpisodeView((await find()) ?? known);
  });
}
