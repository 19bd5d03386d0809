/** A round over the books that someone asks for: of the caller's organization, for an operator without one of all. */
import { type OperationView, readOperation } from '../../../platform/operations/operation-requests.ts';
import { listOperations } from '../../../platform/operations/operation-table.ts';
import { NO_ORGANIZATION } from '../../../platform/subgraph/audit-record.ts';
import { fail } from '../../../schema/errors.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { beginRound, VERIFY } from './verify-books.step.ts';

/** One that someone began and that runs already is the answer: asking often makes no more work. */
export async function startVerification(context: SubgraphContext): Promise<OperationView> {
  const { organizationId } = context.principal;
  const { id } = await context.database.acrossOrganizations(async (em) => {
    const running = await listOperations(em, {
      organizationId: organizationId ?? NO_ORGANIZATION,
      state: 'running',
      kind: VERIFY,
      limit: 10,
    });
    const begun = running.find(({ parameters }) => !(parameters as { isUnhurried: boolean }).isUnhurried);
    return begun ?? beginRound(em, organizationId, false);
  });
  return (await readOperation(context, id)) ?? fail('NOT_FOUND', 'Unknown operation');
}
