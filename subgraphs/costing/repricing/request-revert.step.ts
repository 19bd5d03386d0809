/**
 * Begins a revert of a repricing in an operator's name. If an event was repriced twice, the later repricing must be
 * reverted first.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { fail } from '#kernel/errors.ts';
import { isUuid } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { liftTimeLimit } from '#platform/database/sql.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { beginRepricing } from './begin-repricing.step.ts';
import { isCorrectedAgain } from './corrections.step.ts';
import { findRepricing, lockRepricings, type RepricingOrder } from './repricing.table.ts';
import { REVERT } from './revert.step.ts';

/** Fails with `NOT_FOUND` for an unknown repricing, and with `VALIDATION_ERROR` if it cannot be reverted. */
export function requestRevert(
  context: SubgraphContext,
  repricingId: string,
): Promise<{ id: string; order: RepricingOrder }> {
  const organizationId = organizationOf(context);
  if (!isUuid(repricingId)) fail('NOT_FOUND', 'Unknown repricing');
  return context.database.write(organizationId, async (tx) => {
    await liftTimeLimit(tx);
    await lockRepricings(tx, organizationId);
    const order = await revertOrder(tx, organizationId, repricingId);
    const at = now();
    const { id, isNew } = await beginRepricing(tx, organizationId, REVERT, order, at);
    await recordAudit(tx, {
      organizationId,
      at,
      action: isNew ? 'repricing.revert_begun' : 'repricing.revert_continued',
      ...actorOf(context.principal),
      subjectId: repricingId,
      detail: `by ${id}`,
    });
    return { id, order };
  });
}

/** A stopped repricing can be reverted too: the changes it made are undone. */
async function revertOrder(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  repricingId: string,
): Promise<RepricingOrder> {
  const repricing = (await findRepricing(tx, organizationId, repricingId)) ?? fail('NOT_FOUND', 'Unknown repricing');
  if (repricing.reverts !== null) fail('VALIDATION_ERROR', 'This is a revert: to undo it, reprice');
  const before = repricing.revertedBy === null ? null : await findRepricing(tx, organizationId, repricing.revertedBy);
  if (before?.finished) fail('VALIDATION_ERROR', 'This repricing was already reverted');
  const order = { start: repricing.start, end: repricing.end, model: repricing.model, reverts: repricingId };
  if (before === null && (await isCorrectedAgain(tx, organizationId, repricingId, order)))
    fail('VALIDATION_ERROR', 'Some of its events were repriced again since: revert that repricing first');
  return order;
}
