/** Returns an organization's ledger page by page, for a consumer that does not know whether it has all of it. */
import type { OrganizationId } from '#kernel/ids.ts';
import { fail } from '#kernel/errors.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { LedgerPage } from '#schema/priced-feed.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { findHead } from './feed-parts.query.ts';
import { parseReplayCursor } from './parse-feed-offset.ts';
import { replayLedger } from './replay-ledger.query.ts';

export interface LedgerPageQuery {
  readonly organizationId: OrganizationId;
  readonly cursor: unknown;
}

/**
 * Returns a page with the feed's head and the next cursor. Fails with `VALIDATION_ERROR` for an invalid cursor or id.
 */
export async function getLedgerPage(
  context: SubgraphContext,
  { organizationId, cursor }: LedgerPageQuery,
): Promise<LedgerPage> {
  if (!isUuid(organizationId)) fail('VALIDATION_ERROR', 'organizationId must be a UUID');
  const from = parseReplayCursor(cursor);
  return context.database.system(async (tx) => ({
    ...(await replayLedger(tx, organizationId, from)),
    // Read after the page: it may be newer than the page, but never older.
    head: await findHead(tx, organizationId),
  }));
}
