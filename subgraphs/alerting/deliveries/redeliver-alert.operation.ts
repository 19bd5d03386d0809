/**
 * Sends a delivery again with the same id, for a receiver that was down longer than the retries lasted, or that lost
 * it.
 */
import { isUuid } from '#kernel/uuid.ts';
import { announceAfterCommit } from '#platform/database/announce.ts';
import { databaseTime } from '#platform/database/sql.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { whyBlocked } from '../channels/alert-channel-view.ts';
import { requireChannel } from '../channels/require-channel.step.ts';
import type { AlertDelivery } from '../resolvers.generated.ts';
import { DELIVERY_CHANNEL, findDelivery } from './alert-delivery.table.ts';
import { makeDueAgain } from './delivery-queue.step.ts';
import { CONFIRMATION } from './alert-payload.ts';
import { awaitAttempt, checkWaitSeconds } from './await-attempt.step.ts';

/**
 * The retry schedule continues where it was: an abandoned delivery gets one attempt. Fails with `NOT_FOUND`,
 * including when the channel was deleted. Fails with `VALIDATION_ERROR` if the channel is disabled or unconfirmed, for a confirmation
 * mail, and for an e-mail that was already sent: its address may belong to someone else.
 */
export async function redeliverAlert(
  context: SubgraphContext,
  { id, waitSeconds }: { readonly id: string; readonly waitSeconds: number },
  { hasMail }: { readonly hasMail: boolean },
): Promise<AlertDelivery> {
  const organizationId = organizationOf(context);
  checkWaitSeconds(waitSeconds);
  const attempts = await context.database.write(organizationId, async (tx) => {
    const delivery = isUuid(id) ? await findDelivery(tx, organizationId, id) : null;
    if (delivery === null) return fail('NOT_FOUND', 'id: delivery not found');
    const channel = await requireChannel(tx, organizationId, delivery.channelId);
    if (delivery.eventType === CONFIRMATION)
      fail('VALIDATION_ERROR', 'id: this is a confirmation e-mail. Save the channel again to send a new link');
    const blocked = whyBlocked(channel);
    if (blocked !== null)
      fail('VALIDATION_ERROR', `id: the channel of this delivery does not receive alerts. ${blocked}`);
    if (channel.kind === 'EMAIL' && delivery.doneAt !== null)
      fail('VALIDATION_ERROR', 'id: this e-mail was already sent and is not sent twice');
    const at = await databaseTime(tx);
    await makeDueAgain(tx, organizationId, id, at);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'alert_delivery.redelivered',
      ...actorOf(context.principal),
      subjectId: id,
      detail: channel.name,
    });
    announceAfterCommit(tx, DELIVERY_CHANNEL);
    return delivery.attempt;
  });
  return awaitAttempt(context, organizationId, id, { attempts, waitSeconds, hasMail });
}
