/** Responses to clients that send their whole body before they read: each also receives an early refusal. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange, requestHead } from '../support/exchange.ts';
import { freePort } from '../support/free-port.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { unsignedKey } from '../support/telemetry.ts';

let service: RunningService;
let port: number;
let keys: Readonly<Record<'writing' | 'unsigned' | 'reading' | 'wrong', string>>;
beforeAll(async () => {
  port = await freePort();
  service = await runningService({ PORT: String(port) }, { jobs: false });
  const { live_ingest_key, live_read_key } = service.firstRun;
  keys = {
    writing: live_ingest_key,
    unsigned: await unsignedKey(service),
    reading: live_read_key,
    wrong: 'sk_live_wrong',
  };
});
afterAll(() => service.stop());

type Case = readonly [
  what: string,
  status: number,
  line: string,
  key: 'writing' | 'unsigned' | 'reading' | 'wrong' | null,
  headers?: readonly string[],
];
const JSON_TYPE = 'Content-Type: application/json';
const GZIP = 'Content-Encoding: gzip';
const BATCH = 'POST /v1/usage-events/batch HTTP/1.1';
const RESPONSES = 'POST /ext/v1/provider-responses HTTP/1.1';
const TRACES = 'POST /otlp/v1/traces HTTP/1.1';

/** Requests that are refused whatever the body contains. */
const REFUSED: readonly Case[] = [
  ['an ingestion without a key', 401, BATCH, null],
  ['an ingestion with a wrong key', 401, BATCH, 'wrong'],
  ['an ingestion with a key that may only read', 403, BATCH, 'reading'],
  ['an ingestion without a signature', 401, BATCH, 'writing'],
  ['a compressed ingestion', 415, BATCH, 'writing', [GZIP]],
  ['an ingestion in another charset', 415, BATCH, 'writing', ['Content-Type: application/json; charset=latin1']],
  ['an ingestion as text', 415, BATCH, 'writing', ['Content-Type: text/plain']],
  ['an unknown path of /ext/v1', 404, 'POST /ext/v1/nothing HTTP/1.1', 'writing'],
  ['an unknown path', 404, 'POST /nothing HTTP/1.1', null],
  ['responses without a key', 401, RESPONSES, null],
  ['responses with a key that may only read', 403, RESPONSES, 'reading'],
  ['responses in an unknown coding', 415, RESPONSES, 'unsigned', ['Content-Encoding: br']],
  ['responses that are not JSON', 400, RESPONSES, 'unsigned'],
  ['traces without a key', 401, TRACES, null],
  ['traces as text', 415, TRACES, 'unsigned', ['Content-Type: text/plain']],
  ['traces that are not JSON', 400, TRACES, 'unsigned'],
  ['MCP without a key', 401, 'POST /mcp HTTP/1.1', null],
  ['MCP that is not JSON', 400, 'POST /mcp HTTP/1.1', 'reading', ['Accept: application/json']],
  ['GraphQL that is not JSON', 400, 'POST /graphql HTTP/1.1', 'reading'],
  ['a form that is not one', 415, 'POST /v1/oauth/token HTTP/1.1', null],
];

const named = (cases: readonly Case[]) => cases.map((one) => [one[0], one[1], one] as const);

function request([, , line, key, headers = []]: Case, body: Buffer, ...more: readonly string[]): (string | Buffer)[] {
  const authorization = key === null ? [] : [`Authorization: Bearer ${keys[key]}`];
  const type = headers.some((header) => header.startsWith('Content-Type')) ? [] : [JSON_TYPE];
  return [requestHead(line, ...authorization, ...type, ...headers, ...more), body];
}

describe('a client that sends its whole body before it reads', () => {
  const body = Buffer.alloc(900 * 1024, ' ');
  it.each(named(REFUSED))('%s: %i', async (_what, _status, one) => {
    for (const more of [[], ['Connection: close']]) {
      const parts = request(one, body, `Content-Length: ${body.length}`, ...more);
      const answers = await exchange(port, parts, { readLast: true });
      expect(answers.map(({ status }) => status)).toEqual([one[1]]);
    }
  });
});
