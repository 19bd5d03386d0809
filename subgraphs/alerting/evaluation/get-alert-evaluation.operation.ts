/** Returns the state of the evaluation of the organization's rules. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { AlertEvaluation } from '../resolvers.generated.ts';
import { findEvaluation } from './organization-evaluation.table.ts';

export async function getAlertEvaluation(context: SubgraphContext): Promise<AlertEvaluation> {
  const organizationId = organizationOf(context);
  const place = await context.database.snapshot(organizationId, (tx) => findEvaluation(tx, organizationId));
  return place ?? { evaluatedAt: null, waitingFor: null };
}
