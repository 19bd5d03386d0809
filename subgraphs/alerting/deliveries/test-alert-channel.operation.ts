/** Sends a test message to a channel in the same way as an alert. */
import { announceAfterCommit } from '#platform/database/announce.ts';
import { databaseTime } from '#platform/database/sql.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { HOUR_MS } from '#kernel/time/duration.ts';
import { fail } from '#kernel/errors.ts';
import { whyBlocked } from '../channels/alert-channel-view.ts';
import { requireChannel } from '../channels/require-channel.step.ts';
import { TESTS_PER_HOUR_MAX } from '../config.ts';
import type { AlertDelivery } from '../resolvers.generated.ts';
import { addDelivery, countDeliveriesSince, DELIVERY_CHANNEL } from './alert-delivery.table.ts';
import { testPayload } from './alert-payload.ts';
import { awaitAttempt, checkWaitSeconds } from './await-attempt.step.ts';

/**
 * Fails with `NOT_FOUND`. Fails with `VALIDATION_ERROR` for a disabled or unconfirmed channel, or if too many test
 * messages were sent: the address may belong to someone else.
 */
export async function testAlertChannel(
  context: SubgraphContext,
  { id, waitSeconds }: { readonly id: string; readonly waitSeconds: number },
  { appUrl, hasMail }: { readonly appUrl: string; readonly hasMail: boolean },
): Promise<AlertDelivery> {
  const organizationId = organizationOf(context);
  checkWaitSeconds(waitSeconds);
  const deliveryId = uuidsV7(1)[0]!;
  await context.database.write(organizationId, async (tx) => {
    const channel = await requireChannel(tx, organizationId, id);
    const blocked = whyBlocked(channel);
    if (blocked !== null) fail('VALIDATION_ERROR', `id: this channel does not receive alerts. ${blocked}`);
    const at = await databaseTime(tx);
    const payload = testPayload(organizationId, channel.name, at, appUrl);
    const since = new Date(at.getTime() - HOUR_MS);
    if ((await countDeliveriesSince(tx, organizationId, payload.type, since)) >= TESTS_PER_HOUR_MAX)
      fail('VALIDATION_ERROR', `At most ${TESTS_PER_HOUR_MAX} tests are sent per hour: try again later`);
    await addDelivery(tx, {
      organizationId,
      id: deliveryId,
      channelId: id,
      episodeId: null,
      eventType: payload.type,
      body: JSON.stringify(payload),
      createdAt: at,
      lastError: null,
    });
    announceAfterCommit(tx, DELIVERY_CHANNEL);
  });
  return awaitAttempt(context, organizationId, deliveryId, { attempts: 0, waitSeconds, hasMail });
}
