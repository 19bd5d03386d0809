/** Requests to webhooks (Standard Webhooks 1.0, https://www.standardwebhooks.com) and to Slack's incoming webhooks. */
import { createHmac } from 'node:crypto';
import type { OutboundRequest } from '#platform/outbound/outbound-client.ts';
import { DELIVERY_TIMEOUT_MILLISECONDS } from '../config.ts';

const SECRET_PREFIX = 'whsec_';

/** Limit for reading a response; the log stores less. */
const ANSWER_BYTES_MAX = 8_192;

export interface Message {
  /** The same in every attempt, so that a receiver can recognize duplicates. */
  readonly id: string;
  /** Time of sending. */
  readonly at: Date;
  readonly body: string;
}

/** Signed with every secret, signatures separated by spaces, so that a receiver with either secret accepts it. */
export function toWebhookRequest(url: string, message: Message, secrets: readonly string[]): OutboundRequest {
  return toRequest(url, message.body, {
    'webhook-id': message.id,
    'webhook-timestamp': String(secondsOf(message.at)),
    'webhook-signature': secrets.map((secret) => signMessage(message, secret)).join(' '),
  });
}

/** `v1,` and the HMAC-SHA256 of `id.timestamp.body` in Base64. */
export function signMessage({ id, at, body }: Message, secret: string): string {
  const key = Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64');
  return `v1,${createHmac('sha256', key)
    .update(`${id}.${secondsOf(at)}.${body}`)
    .digest('base64')}`;
}

/** Request to Slack, which identifies callers only by the URL. */
export function toSlackRequest(url: string, body: string): OutboundRequest {
  return toRequest(url, body, {});
}

function toRequest(url: string, body: string, headers: Readonly<Record<string, string>>): OutboundRequest {
  return {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'ai-product-books', ...headers },
    body,
    answerBytesMax: ANSWER_BYTES_MAX,
    timeoutMilliseconds: DELIVERY_TIMEOUT_MILLISECONDS,
  };
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
