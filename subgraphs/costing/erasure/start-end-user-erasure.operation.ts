/** Erases an end user as a long operation, without the caller waiting. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import { type OperationView, readStartedOperation } from '#platform/operations/operation-requests.ts';
import { insertOperation, resumeOperation } from '#platform/operations/operation-table.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { beginErasure, checkErasure, ERASE_END_USER, type ErasureParameters } from './erase-end-user.step.ts';

/** Counting stops here: the number is only for a progress bar. */
const COUNTED_MAX = 1_000_000;

/** A second request resumes the unfinished erasure, with its original parameters. */
export async function startEndUserErasure(
  context: SubgraphContext,
  { externalId, keepDimensions }: { readonly externalId: string; readonly keepDimensions: readonly string[] },
): Promise<OperationView> {
  const organizationId = organizationOf(context);
  checkErasure(externalId, keepDimensions);
  const operationId = await context.database.write(organizationId, async (tx) => {
    const erasureId = await beginErasure(tx, context, externalId);
    const open = await findOperationOf(tx, organizationId, erasureId);
    if (open === null) {
      const [id = ''] = uuidsV7(1);
      const parameters: ErasureParameters = { erasureId, keepDimensions };
      const total = await countEvents(tx, organizationId, externalId);
      await insertOperation(tx, { organizationId, id, kind: ERASE_END_USER, parameters, total });
      return id;
    }
    if (open.state !== 'running') await resumeOperation(tx, organizationId, open.id);
    return open.id;
  });
  return readStartedOperation(context, operationId);
}

const FIND_OPERATION_OF = statement<
  { id: string; state: string },
  { readonly organizationId: OrganizationId; readonly eraseEndUser: string; readonly erasureId: string }
>(`select id, state from operation
     where organization_id = :organizationId and kind = :eraseEndUser and parameters ->> 'erasureId' = :erasureId and state <> 'finished' order by id desc limit 1`);

async function findOperationOf(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  erasureId: string,
): Promise<{ id: string; state: string } | null> {
  const [row] = await tx.all(FIND_OPERATION_OF, { organizationId, eraseEndUser: ERASE_END_USER, erasureId });
  return row ?? null;
}

const COUNT_EVENTS = statement<
  { count: number },
  { readonly organizationId: OrganizationId; readonly externalId: string }
>(`
  select count(*)::float8 as count from (
    select 1 from usage_event where organization_id = :organizationId and end_user_external_id = :externalId
    limit ${COUNTED_MAX + 1}) as counted`);

/** Null: too many to count. */
async function countEvents(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  externalId: string,
): Promise<number | null> {
  const { count } = await tx.one(COUNT_EVENTS, { organizationId, externalId });
  return count > COUNTED_MAX ? null : count;
}
