/** Makes one attempt to send a delivery to its channel. */
import { now } from '#platform/clock.ts';
import { describeOutboundError } from '#platform/outbound/describe-outbound-error.ts';
import type { Outbound, OutboundRequest } from '#platform/outbound/outbound-client.ts';
import type { OutboundConfig } from '#platform/outbound/outbound-settings.ts';
import type { Sealing } from '#platform/seal.ts';
import type { AlertChannelRow } from '../channels/alert-channel.table.ts';
import { NO_MAIL_SERVER } from '../channels/alert-channel-view.ts';
import { CHANNEL_SEAL } from '../config.ts';
import type { ClaimedDelivery } from './delivery-queue.step.ts';
import {
  type AlertPayload,
  CONFIRMATION,
  type ConfirmationPayload,
  toConfirmationMail,
  toMail,
  toSlackMessage,
} from './alert-payload.ts';
import { type AttemptOutcome, failedOutcome, httpOutcome } from './attempt-outcome.ts';
import { sendMail } from './send-mail.step.ts';
import { toSlackRequest, toWebhookRequest } from './webhook-request.ts';

export interface Senders {
  readonly outbound: Outbound;
  readonly smtp: OutboundConfig['smtp'];
  readonly sealing: Sealing;
  /** Base URL of the pages. */
  readonly appUrl: string;
}

/** Never throws for a failed delivery: every failure is an outcome. */
export async function sendDelivery(
  channel: AlertChannelRow,
  { id, body }: Pick<ClaimedDelivery, 'id' | 'body'>,
  { outbound, smtp, sealing, appUrl }: Senders,
): Promise<AttemptOutcome> {
  const payload = JSON.parse(body) as AlertPayload | ConfirmationPayload;
  if (payload.type === CONFIRMATION || channel.kind === 'EMAIL') {
    if (smtp === null) return failedOutcome(`Nothing is sent: ${NO_MAIL_SERVER}`, 'retry');
    if (payload.type !== CONFIRMATION)
      return sendMail(smtp, { id, to: channel.target, mail: toMail(payload, channel.name) });
    const [code] = secretsOf(channel, sealing, now());
    if (code === undefined) return failedOutcome(UNREADABLE, 'retry');
    return sendMail(smtp, { id, to: channel.target, mail: toConfirmationMail(appUrl, code) });
  }
  switch (channel.kind) {
    case 'SLACK': {
      const [url] = secretsOf(channel, sealing, now());
      if (url === undefined) return failedOutcome(UNREADABLE, 'retry');
      return post(outbound, toSlackRequest(url, toSlackMessage(payload)));
    }
    case 'WEBHOOK': {
      const at = now();
      const secrets = secretsOf(channel, sealing, at);
      if (secrets.length === 0) return failedOutcome(UNREADABLE, 'retry');
      return post(outbound, toWebhookRequest(channel.target, { id, at, body }, secrets));
    }
  }
}

const UNREADABLE = 'The secret of the channel cannot be decrypted: the operator must restore an encryption key';

/** The current secret first, then the previous one while it still signs. */
function secretsOf(channel: AlertChannelRow, sealing: Sealing, at: Date): string[] {
  const { id, sealedSecret, sealedPreviousSecret, previousUntil } = channel;
  const previous = previousUntil !== null && previousUntil > at ? sealedPreviousSecret : null;
  return [sealedSecret, previous]
    .filter((sealed) => sealed !== null)
    .map((sealed) => sealing.tryUnseal(sealed, CHANNEL_SEAL, id))
    .filter((secret) => secret !== null);
}

async function post(outbound: Outbound, request: OutboundRequest): Promise<AttemptOutcome> {
  try {
    const { status, text, headers } = await outbound.request(request);
    return httpOutcome(status, text, headers['retry-after']);
  } catch (error) {
    return failedOutcome(`It was not sent: ${describeOutboundError(error)}`, 'retry');
  }
}
