/** Sends the deliveries of the outbox at least once, with the same id after a crash. */
import { elapsedMilliseconds } from '#platform/clock.ts';
import { databaseTime } from '#platform/database/sql.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { Job } from '#platform/job-loop.ts';
import { observedGauge } from '#platform/metrics.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { randomInt, randomUuid } from '#platform/random.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { type AlertChannelRow, disableChannel, findChannel, markOutcome } from '../channels/alert-channel.table.ts';
import { isUnconfirmed, whyBlocked } from '../channels/alert-channel-view.ts';
import { addAttempt } from './alert-attempt.table.ts';
import { DELIVERY_CHANNEL } from './alert-delivery.table.ts';
import {
  claimDelivery,
  type ClaimedDelivery,
  countDueDeliveries,
  endAttempt,
  giveUpChannel,
  isAnyDeliveryDue,
} from './delivery-queue.step.ts';
import { CONFIRMATION } from './alert-payload.ts';
import { type AttemptOutcome, endOf, reasonToDisable } from './attempt-outcome.ts';
import { sendDelivery, type Senders } from './send-delivery.step.ts';

const REST_MILLISECONDS = 1_000;

/** A step spends most of its time waiting for a receiver. */
const PARALLEL = 16;

type Dependencies = Pick<SubgraphDependencies, 'database' | 'log' | 'config' | 'sealing'> & Pick<Senders, 'outbound'>;

export function deliverAlerts({ database, log, config, sealing, outbound }: Dependencies): Job {
  const senders = { outbound, sealing, smtp: config.smtp, appUrl: config.appUrl };
  /** Result of the claim in progress: if it finds nothing, the other loops need not try to claim. */
  let looking: Promise<boolean> | null = null;
  observedGauge('books_alert_deliveries_due', 'Alerts due for a delivery attempt.', async () => {
    const { due } = await database.system(countDueDeliveries);
    return due;
  });
  observedGauge('books_alert_deliveries_oldest_due_seconds', 'Time since the oldest of them became due.', async () => {
    const { oldestSeconds } = await database.system(countDueDeliveries);
    return oldestSeconds;
  });
  return {
    name: 'deliver-alerts',
    restMilliseconds: REST_MILLISECONDS,
    parallel: PARALLEL,
    channel: DELIVERY_CHANNEL,
    step: async (found) => {
      while (looking !== null) if (!(await looking)) return 'idle';
      const owner = randomUuid();
      const claiming = claim(owner).finally(() => (looking = null));
      looking = claiming.then(
        (claimed) => claimed !== null,
        () => false,
      );
      const claimed = await claiming;
      if (claimed === null) return 'idle';
      found?.();
      await send(claimed, owner);
      return 'more';
    },
  };

  async function claim(owner: string): Promise<Claimed | null> {
    if (!(await isAnyDeliveryDue(database))) return null;
    return database.system(async (tx) => {
      const at = await databaseTime(tx);
      const delivery = await claimDelivery(tx, owner, at);
      if (delivery === null) return null;
      const { organizationId, channelId } = delivery;
      return { delivery, channel: await findChannel(tx, organizationId, channelId) };
    });
  }

  async function send({ delivery, channel }: Claimed, owner: string): Promise<void> {
    const { organizationId, channelId } = delivery;
    if (channel === null || channel.disabledReason !== null) {
      const reason = channel === null ? 'deleted' : `switched off: ${channel.disabledReason}`;
      return database.system(async (tx) =>
        giveUpChannel(tx, organizationId, channelId, await databaseTime(tx), `The channel was ${reason}`),
      );
    }
    const lastError = whyNotSent(channel, delivery.eventType);
    if (lastError !== null) return database.system((tx) => giveUp(tx, delivery, owner, lastError));
    const since = elapsedMilliseconds();
    const outcome = await sendDelivery(channel, delivery, senders);
    const durationMilliseconds = Math.round(elapsedMilliseconds() - since);
    if (outcome.next !== null)
      log.warn(
        { organizationId, deliveryId: delivery.id, channelId, statusCode: outcome.statusCode, reason: outcome.error },
        'An alert was not delivered',
      );
    await database.system((tx) => end(tx, { delivery, channel }, owner, outcome, durationMilliseconds));
  }

  async function giveUp(
    tx: WriteTransaction,
    delivery: ClaimedDelivery,
    owner: string,
    lastError: string,
  ): Promise<void> {
    const gaveUpAt = await databaseTime(tx);
    await endAttempt(tx, delivery, owner, {
      attempt: delivery.attempt,
      dueAt: null,
      doneAt: null,
      gaveUpAt,
      lastError,
    });
  }

  async function end(
    tx: WriteTransaction,
    { delivery, channel }: Claimed & { channel: AlertChannelRow },
    owner: string,
    outcome: AttemptOutcome,
    durationMilliseconds: number,
  ): Promise<void> {
    const { organizationId } = delivery;
    const at = await databaseTime(tx);
    const attempt = delivery.attempt + 1;
    const ended = endOf(outcome, attempt, at, randomInt(1_000) / 1_000);
    if (!(await endAttempt(tx, delivery, owner, ended))) return;
    const { statusCode, error, answer } = outcome;
    const logged = { organizationId, deliveryId: delivery.id, attempt, at, durationMilliseconds };
    await addAttempt(tx, { ...logged, statusCode, error, answer });
    const failingSince = await markOutcome(tx, organizationId, channel.id, outcome.next === null ? null : at);
    const reason = reasonToDisable(outcome, ended, failingSince);
    if (reason === null || !(await disableChannel(tx, organizationId, channel.id, at, reason))) return;
    await giveUpChannel(tx, organizationId, channel.id, at, `The channel was switched off: ${reason}`);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'alert_channel.disabled',
      ...actorOf(servicePrincipal('alerting', randomUuid())),
      subjectId: channel.id,
      detail: `${channel.name}: ${reason}`,
    });
  }
}

/** Reason not to send; null to send. The channel may have changed since the delivery was written. */
function whyNotSent(channel: AlertChannelRow, eventType: string): string | null {
  if (eventType !== CONFIRMATION) return whyBlocked(channel);
  return isUnconfirmed(channel) ? null : 'The address is already confirmed';
}

interface Claimed {
  readonly delivery: ClaimedDelivery;
  /** Null if it was deleted. */
  readonly channel: AlertChannelRow | null;
}
