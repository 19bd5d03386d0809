/** Switches the caller's session back to its own organization. The sample data is kept. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { findSample } from '../accounts/organization.table.ts';
import { sessionCaller } from '../sessions/session-caller.ts';
import { setInSample } from '../sessions/session.table.ts';
import { type SampleView, toSampleView } from './sample-view.ts';

export function leaveSample({ database, principal }: SubgraphContext): Promise<SampleView | null> {
  const { organizationId, sessionId } = sessionCaller(principal);
  return database.system(async (tx) => {
    await setInSample(tx, organizationId, sessionId, false);
    return toSampleView(await findSample(tx, organizationId), false);
  });
}
