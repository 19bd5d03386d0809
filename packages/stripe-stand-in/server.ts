/**
 * In-memory stand-in for Stripe's HTTP API, for tests and the demo. It can simulate failures. Service code does not
 * depend on it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type StripeAccount, newAccount } from './account.ts';
import { type Answer, answerGet, answerPost, errorAnswer } from './answer.ts';
import type { Fault } from './faults.ts';

export interface StripeStandIn {
  /** Origin without `/v1`. */
  readonly url: string;
  readonly account: StripeAccount;
  /** Accepted keys, each with the lists it may not read. */
  readonly keys: Map<string, readonly string[]>;
  /** Faults, checked in order for every request. The first match applies and is counted down. */
  readonly faults: Fault[];
  /** Requests in order, e.g. `GET /v1/invoices?limit=100`. */
  readonly requests: string[];
  stop(): Promise<void>;
}

/** `port` 0 takes any free port. The clock of the default account is at 2026-01-01T00:00:00Z. */
export async function start({
  port = 0,
  account = newAccount(1_767_225_600),
}: {
  port?: number;
  account?: StripeAccount;
} = {}): Promise<StripeStandIn> {
  const keys = new Map<string, readonly string[]>([['rk_live_stand_in', []]]);
  const faults: Fault[] = [];
  const requests: string[] = [];
  const remembered = new Map<string, Answer>();
  const server = createServer((request, response) => {
    void serve(request, response).catch(() => response.destroy());
  });
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://stand-in');
    const path = url.pathname
      .split('/')
      .filter((part) => part !== '')
      .slice(1);
    const body = await readBody(request);
    requests.push(`${request.method} ${url.pathname}${url.search}`);
    const fault = faults.find(
      (candidate) =>
        candidate.times > 0 &&
        (candidate.path === undefined || url.pathname.startsWith(candidate.path)) &&
        (candidate.onlyPagesAfterFirst !== true || url.searchParams.has('starting_after')),
    );
    if (fault) fault.times -= 1;
    const honest = (): Answer => {
      const refusal = refuse(keys, request, path, url.searchParams);
      if (refusal) return refusal;
      if (request.method !== 'POST') return answerGet(account, path, url.searchParams);
      const idempotencyKey = String(request.headers['idempotency-key'] ?? '');
      const before = remembered.get(idempotencyKey);
      if (before && idempotencyKey !== '') return before;
      const answer = answerPost(account, path, new URLSearchParams(body));
      remembered.set(idempotencyKey, answer);
      return answer;
    };
    if (!fault) return send(response, honest());
    await fault.act({ response, honest, send: (answer) => send(response, answer), url });
  };
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    account,
    keys,
    faults,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refuse(
  keys: ReadonlyMap<string, readonly string[]>,
  request: IncomingMessage,
  path: readonly string[],
  query: URLSearchParams,
): Answer | null {
  const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const forbidden = keys.get(key);
  if (forbidden === undefined)
    return errorAnswer(
      401,
      'invalid_request_error',
      `Invalid API Key provided: ${key.slice(0, 8)}****${key.slice(-4)}`,
    );
  const expands = [...query].some(
    ([name, field]) => name.startsWith('expand') && field.endsWith('balance_transaction'),
  );
  const read = [path[0] ?? '', ...(expands ? ['balance_transactions'] : [])].find((list) => forbidden.includes(list));
  if (read === undefined) return null;
  return errorAnswer(
    403,
    'invalid_request_error',
    `The provided key '${key.slice(0, 8)}****' does not have the required permissions for this endpoint. Having the 'rak_${read}_read' permission would allow this request to continue.`,
  );
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'request-id': 'req_stand_in',
    'stripe-version': '2026-10-28.endive',
    ...headers,
  });
  response.end(text);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
