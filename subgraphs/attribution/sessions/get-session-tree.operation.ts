/** One session as a tree of spans with rolled-up costs. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requireGrant } from '#platform/subgraph/require-grant.ts';
import { fail } from '#kernel/errors.ts';
import { canonicalInstant } from '#kernel/time/instant.ts';
import { amount } from '#kernel/money.ts';
import { SESSION_SPANS_MAX } from '../config.ts';
import { readSessionSpans } from './session-spans.query.ts';
import type { SessionTree } from '../resolvers.generated.ts';
import { flatSpans, spanTree } from './span-tree.ts';

/** Fails with `NOT_FOUND` if no priced event has named the session. */
export async function getSessionTree(
  context: SubgraphContext,
  sessionId: string,
): Promise<Omit<SessionTree, 'id'> & { readonly startedAt: string; readonly endedAt: string }> {
  requireGrant(context, ['costs:read']);
  const organizationId = organizationOf(context);
  const rows = await context.database.find(organizationId, (tx) =>
    readSessionSpans(tx, organizationId, sessionId, SESSION_SPANS_MAX),
  );
  const session = rows[0] ?? fail('NOT_FOUND', 'Unknown session');
  const roots = spanTree(rows);
  return {
    sessionId,
    startedAt: canonicalInstant(session.sessionStartedAt),
    endedAt: canonicalInstant(session.sessionEndedAt),
    sessionType: session.sessionType,
    totalCost: amount(session.sessionCost),
    eventCount: Number(session.sessionEvents),
    roots,
    spans: flatSpans(roots),
    truncated: Number(session.sessionSpans) > rows.length,
  };
}
