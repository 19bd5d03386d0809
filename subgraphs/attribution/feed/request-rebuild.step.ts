/** Requests a comparison with the ledger in the caller's name. */
import { parseWindow } from '#kernel/time/window.ts';
import { now } from '#platform/clock.ts';
import { actorOf, NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { beginRebuild } from './rebuild.step.ts';

export interface RebuildRequest {
  /** Give both or neither; `end` is exclusive. Without them every sum is also recomputed from the facts. */
  readonly start?: string | null | undefined;
  readonly end?: string | null | undefined;
}

/** Returns the operation's id. */
export async function requestRebuild(
  { database, principal }: SubgraphContext,
  { start, end }: RebuildRequest,
): Promise<string> {
  const { organizationId } = principal;
  if ((start == null) !== (end == null)) fail('VALIDATION_ERROR', 'Give both start and end, or neither');
  const window = start == null || end == null ? null : parseWindow({ start, end });
  return database.system(async (tx) => {
    const parameters = { start: window?.start.iso ?? null, end: window?.end.iso ?? null };
    const id = await beginRebuild(tx, organizationId, parameters);
    await recordAudit(tx, {
      organizationId: organizationId ?? NO_ORGANIZATION,
      at: now(),
      action: 'facts.compared',
      ...actorOf(principal),
      subjectId: id,
      detail: window === null ? 'all events' : `events from ${window.start.iso} to ${window.end.iso}`,
    });
    return id;
  });
}
