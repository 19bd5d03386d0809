/** A round over the books that someone asks for: of the organization that the operator names, else of all. */
import { type OperationView, readOperation } from '../../../platform/operations/operation-requests.ts';
import { fail } from '../../../schema/errors.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { beginRound } from './verify-books.step.ts';

export async function startVerification(context: SubgraphContext): Promise<OperationView> {
  const { id } = await context.database.acrossOrganizations((em) =>
    beginRound(em, context.principal.organizationId, false),
  );
  return (await readOperation(context, id)) ?? fail('NOT_FOUND', 'Unknown operation');
}
