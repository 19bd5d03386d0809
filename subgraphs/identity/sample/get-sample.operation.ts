/** Returns the sample data of the caller's organization, if there is any. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { findSample } from '../accounts/organization.table.ts';
import { sessionCaller } from '../sessions/session-caller.ts';
import { type SampleView, toSampleView } from './sample-view.ts';

export async function getSample({ database, principal }: SubgraphContext): Promise<SampleView | null> {
  const { organizationId } = sessionCaller(principal);
  const sample = await database.system((tx) => findSample(tx, organizationId));
  return toSampleView(sample, principal.sampleOf !== undefined);
}
