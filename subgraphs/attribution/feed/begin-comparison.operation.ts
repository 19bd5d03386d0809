/** Has an organization's facts compared with costing's ledger, of all its events or of those of a time: the operator's remedy. */
import { parseWindow } from '../../../kernel/time/window.ts';
import { fail } from '../../../schema/errors.ts';
import { now } from '../../../platform/clock.ts';
import { actorOf, NO_ORGANIZATION } from '../../../platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { clearKeys } from '../rollups/rollup-key.table.ts';
import { beginReplays, startPlaces } from './feed-place.table.ts';
import { REPLAY_START } from './plan-step.ts';

export interface ComparisonRequest {
  /** Both or neither; `end` is exclusive. Without them every sum is made again from the facts as well. */
  readonly start?: string | null | undefined;
  readonly end?: string | null | undefined;
}

/**
 * Of the organization that the operator names, else of all. It is begun, and goes on in the background while figures are read and new
 * facts arrive. Returns of how many organizations.
 */
export async function beginComparison(
  { database, principal }: SubgraphContext,
  { start, end }: ComparisonRequest,
): Promise<number> {
  const { organizationId } = principal;
  if ((start == null) !== (end == null)) fail('VALIDATION_ERROR', 'Give both start and end, or neither');
  const window = start == null || end == null ? null : parseWindow({ start, end });
  return database.acrossOrganizations(async (em) => {
    if (organizationId !== null) await startPlaces(em, [organizationId]);
    const range = window === null ? {} : { start: window.start.iso, end: window.end.iso };
    const begun = await beginReplays(em, organizationId, {
      cursor: { ...REPLAY_START, ...range },
      removed: 0,
      sumsAll: window === null,
    });
    // Until they are rolled up again, reads use the facts.
    if (window === null) await clearKeys(em, organizationId);
    await recordAudit(em, {
      organizationId: organizationId ?? NO_ORGANIZATION,
      at: now(),
      action: 'facts.compared',
      ...actorOf(principal),
      detail: window === null ? 'all events' : `events from ${window.start.iso} to ${window.end.iso}`,
    });
    return begun;
  });
}
