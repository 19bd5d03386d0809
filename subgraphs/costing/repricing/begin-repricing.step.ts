/** Begins a repricing or a revert, or resumes an unfinished one. Only one per organization runs at a time. */
import type { OrganizationId } from '#kernel/ids.ts';
import { fail } from '#kernel/errors.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import { insertOperation, type Operation, resumeOperation } from '#platform/operations/operation-table.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import {
  findRepricing,
  findUnfinishedRepricings,
  insertRepricing,
  type RepricingOrder,
  type UnfinishedRepricing,
} from './repricing.table.ts';

/**
 * The caller holds the lock on the organization's repricings. Fails while another one runs, since each would undo part
 * of the other. `isNew` is false if the same one was requested before and is not finished.
 */
export async function beginRepricing(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  kind: string,
  order: RepricingOrder,
  at: Date,
): Promise<{ id: string; isNew: boolean }> {
  const unfinished = await findUnfinishedRepricings(tx, organizationId, order);
  const same = unfinished.find(({ isSame }) => isSame);
  refuseBesides(unfinished, same?.id ?? null);
  if (same) {
    await resumeOperation(tx, organizationId, same.id);
    return { id: same.id, isNew: false };
  }
  const [id = ''] = uuidsV7(1);
  await insertRepricing(tx, organizationId, id, order, at);
  const total = await countEvents(tx, organizationId, order);
  await insertOperation(tx, { organizationId, id, kind, parameters: order, total });
  return { id, isNew: true };
}

/** Refuses to resume a repricing that was reverted, or while another one runs. */
export async function mayResumeRepricing(tx: WriteTransaction, { organizationId, id }: Operation): Promise<void> {
  const repricing = await findRepricing(tx, organizationId, id);
  if (repricing?.revertedBy) fail('VALIDATION_ERROR', `This repricing was reverted by ${repricing.revertedBy}`);
  refuseBesides(await findUnfinishedRepricings(tx, organizationId, null), id);
}

function refuseBesides(unfinished: readonly UnfinishedRepricing[], id: string | null): void {
  const other = unfinished.find((each) => each.state === 'running' && each.id !== id);
  if (other)
    fail(
      'VALIDATION_ERROR',
      `${other.reverts === null ? 'Repricing' : 'Revert'} ${other.id} of this organization is running: wait for it, or cancel it`,
    );
}

const COUNT_EVENTS = statement<
  { events: number },
  { readonly organizationId: OrganizationId; readonly start: string; readonly end: string }
>(`
    select coalesce(sum(completed), 0)::float8 as events from cost_hour
    where organization_id = :organizationId and hour >= date_trunc('hour', :start::timestamptz, 'UTC') and hour < :end`);

/** Estimated number of events to process; null if only some models are affected. */
async function countEvents(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  order: RepricingOrder,
): Promise<number | null> {
  if (order.model !== null) return null;
  const { events } = await tx.one(COUNT_EVENTS, { organizationId, start: order.start, end: order.end });
  return events;
}
