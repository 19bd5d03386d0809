/** Starts a verification round on request: for the caller's organization, or for all if an operator has none. */
import { type OperationView, readStartedOperation } from '#platform/operations/operation-requests.ts';
import { listOperations } from '#platform/operations/operation-table.ts';
import { NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { beginRound, VERIFY } from './verify-books.step.ts';

/** Returns a requested round that is already running: repeated requests cause no more work. */
export async function startVerification(context: SubgraphContext): Promise<OperationView> {
  const { organizationId } = context.principal;
  const { id } = await context.database.system(async (tx) => {
    const running = await listOperations(tx, {
      organizationId: organizationId ?? NO_ORGANIZATION,
      state: 'running',
      kind: VERIFY,
      limit: 10,
    });
    const begun = running.find(({ parameters }) => !(parameters as { isUnhurried: boolean }).isUnhurried);
    return begun ?? beginRound(tx, organizationId, false);
  });
  return readStartedOperation(context, id);
}
