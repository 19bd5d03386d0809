/** Begins the erasure of an end user and executes its steps: per request, or as a long operation (decision 25). */
import type { OrganizationId } from '#kernel/ids.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import type { OperationKind } from '#platform/operations/run-operation.ts';
import { randomBytes } from '#platform/random.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { fail } from '#kernel/errors.ts';
import { renameAllowedEndUser } from '../allowances/allowance.table.ts';
import { renameHeldEndUser } from '../holds/hold.table.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { DIMENSIONS_KEPT_MAX, REDUCED_EVENTS_MAX } from '../config.ts';
import { eraseEndUserAllocations } from '../fixed-costs/erase-end-user-allocations.step.ts';
import { invalidateProfiles } from '../simulation/usage-profile-day.table.ts';
import {
  lockActiveErasure,
  lockErasureById,
  insertErasure,
  lockErasures,
  moveErasure,
  storeSubject,
  subjectHashOf,
} from './end-user-erasure.table.ts';
import { beginReduction, reduceEvents } from './reduce-events.step.ts';

export const ERASE_END_USER = 'erase-end-user';

/** Does not contain the external id, because parameters are kept after the operation ends. */
export interface ErasureParameters {
  readonly erasureId: string;
  readonly keepDimensions: readonly string[];
}

const EXTERNAL_ID_MAX = 255;

/** Returns the id of the erasure in progress, or of a new one. Call it in the organization's transaction. */
export async function beginErasure(
  tx: WriteTransaction,
  context: SubgraphContext,
  externalId: string,
): Promise<string> {
  const organizationId = organizationOf(context);
  const subjectHash = subjectHashOf(organizationId, externalId);
  await lockErasures(tx, organizationId);
  const open = await lockActiveErasure(tx, organizationId, subjectHash);
  if (open !== null) {
    await storeSubject(tx, organizationId, open.id, externalId);
    return open.id;
  }
  const id = uuidsV7(1)[0]!;
  const at = now();
  const pseudonym = `erased-${randomBytes(16).toString('hex')}`;
  await insertErasure(tx, organizationId, { id, subjectHash, pseudonym, externalId }, at);
  await recordAudit(tx, {
    organizationId,
    at,
    action: 'end_user.erased',
    ...actorOf(context.principal),
    subjectId: id,
    detail: subjectHash,
  });
  return id;
}

/** Must run across organizations. Returns the number of changed events, and whether the erasure is complete. */
export async function eraseSlice(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { erasureId, keepDimensions }: ErasureParameters,
  limit: number,
): Promise<{ readonly events: number; readonly isFinished: boolean }> {
  await beginReduction(tx);
  const erasure = await lockErasureById(tx, organizationId, erasureId);
  if (erasure === null) return { events: 0, isFinished: true };
  const { externalId, pseudonym } = erasure;
  const at = now();
  const eventIds = await eventsOf(tx, organizationId, externalId, limit);
  const replaces = endUserId(organizationId, externalId);
  await reduceEvents(tx, organizationId, eventIds, { keepDimensions, pseudonym, replaces }, at);
  const isFinished = eventIds.length < limit;
  if (isFinished) {
    await invalidateProfiles(tx, organizationId, null);
    await eraseEndUserAllocations(tx, organizationId, externalId, pseudonym);
    await renameAllowedEndUser(tx, organizationId, externalId, pseudonym);
    await renameHeldEndUser(tx, organizationId, externalId, pseudonym);
  }
  await moveErasure(tx, organizationId, erasureId, eventIds.length, isFinished ? at : null);
  return { events: eventIds.length, isFinished };
}

/** Progress counts events. */
export const eraseKind: OperationKind = {
  kind: ERASE_END_USER,
  step: (_, commit) =>
    commit(async (tx, { organizationId, parameters, done }) => {
      const slice = await eraseSlice(tx, organizationId, parameters as ErasureParameters, REDUCED_EVENTS_MAX);
      return { place: null, done: done + slice.events, isFinished: slice.isFinished };
    }),
};

const EVENTS_OF = statement<
  { id: string },
  { readonly organizationId: OrganizationId; readonly externalId: string; readonly limit: number }
>(`
    (select id from usage_event where organization_id = :organizationId and end_user_external_id = :externalId and livemode limit :limit)
    union all
    (select id from usage_event where organization_id = :organizationId and end_user_external_id = :externalId and not livemode limit :limit)
    limit :limit`);

/** Finds events of the end user: live events by their index, then test events. */
async function eventsOf(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  externalId: string,
  limit: number,
): Promise<string[]> {
  const rows = await tx.all(EVENTS_OF, { organizationId, externalId, limit });
  return rows.map(({ id }) => id);
}

/** Fails with `VALIDATION_ERROR`. */
export function checkErasure(externalId: string, keepDimensions: readonly string[]): void {
  if (externalId.length < 1 || externalId.length > EXTERNAL_ID_MAX || externalId.includes('\0'))
    fail(
      'VALIDATION_ERROR',
      `externalId must have 1 to ${EXTERNAL_ID_MAX} characters, as in the user_id of usage events`,
    );
  if (keepDimensions.length > DIMENSIONS_KEPT_MAX)
    fail('VALIDATION_ERROR', `keepDimensions must contain at most ${DIMENSIONS_KEPT_MAX} keys`);
}
