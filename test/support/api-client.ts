/** A client as a customer would write it, based only on the specification. */
import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { checkAgainstOpenApi } from './check-against-openapi.ts';
import { PATIENCE } from './patience.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
  readonly text: string;
}

export async function get(
  url: string,
  path: string,
  key: string | null,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await read(
    await fetch(`${url}/v1${path}`, {
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
    }),
  );
  await checkAgainstOpenApi(url, 'GET', path, answer.status, answer.body);
  return answer;
}

/** `body` is sent unchanged if it is text, otherwise as JSON. */
export async function post(
  url: string,
  path: string,
  key: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const timestamp = headers['x-timestamp'] ?? String(Math.floor(Date.now() / 1000));
  const answer = await read(
    await fetch(`${url}/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-timestamp': timestamp,
        'x-signature': sign(key, timestamp, text),
        ...headers,
      },
      body: text,
    }),
  );
  await checkAgainstOpenApi(url, 'POST', path, answer.status, answer.body);
  return answer;
}

/** Sends an unsigned request to an endpoint of `/ext/v1`. `body` is sent unchanged if it is text, otherwise as JSON. */
export async function postExt(
  url: string,
  path: string,
  key: string | null,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await read(
    await fetch(`${url}/ext/v1${path}`, {
      method: 'POST',
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        'content-type': 'application/json',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );
  await checkAgainstOpenApi(url, 'POST', `/ext/v1${path}`, answer.status, answer.body);
  return answer;
}

/** Signs and sends a request to an ingestion endpoint of `/ext/v1`. `headers` replace the signature's. */
export async function postSignedExt(
  url: string,
  path: string,
  key: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = { 'x-timestamp': timestamp, 'x-signature': sign(key, timestamp, text) };
  return postExt(url, path, key, text, { ...signature, ...headers });
}

export function sign(key: string, timestamp: string, body: string | Uint8Array): string {
  return `v1=${createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex')}`;
}

export async function graphql(
  url: string,
  token: string | null,
  query: string,
  variables: object = {},
  organizationId?: string,
): Promise<Answer> {
  return read(
    await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(organizationId === undefined ? {} : { 'x-organization-id': organizationId }),
      },
      body: JSON.stringify({ query, variables }),
    }),
  );
}

/** Each poll costs about as much as pricing some events, so the interval grows. */
const FIRST_INTERVAL = 30;
const INTERVAL_MAX = 500;

/** Waits until every accepted event is priced and attributed. */
export async function settle(url: string, operatorToken: string): Promise<void> {
  const until = Date.now() + PATIENCE.timeout;
  let interval = FIRST_INTERVAL;
  const page =
    '{ pricingBacklog { pendingEvents feedLag feedDigest } attributionLag { batches replaying feedDigest } }';
  while (Date.now() < until) {
    const { body } = await graphql(url, operatorToken, page);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    const { pricingBacklog, attributionLag } = body.data;
    const left =
      pricingBacklog.pendingEvents + pricingBacklog.feedLag + attributionLag.batches + attributionLag.replaying;
    if (left === 0 && pricingBacklog.feedDigest === attributionLag.feedDigest) return;
    await pause(interval);
    interval = Math.min(interval * 1.5, INTERVAL_MAX);
  }
  throw new Error('Events are still waiting');
}

export async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON: the text itself is the body.
  }
  return { status: response.status, headers: response.headers, body, text };
}
