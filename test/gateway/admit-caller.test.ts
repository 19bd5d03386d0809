/** One request, or many from one address, must not block the process: limits apply before parsing. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, graphql, read, sign } from '../support/api-client.ts';
import { runningService, type RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { usageEvent } from '../support/usage-event.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

let service: RunningService;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());

/** A request of exactly this many bytes, padded with the word. */
const flood = (bytes: number, word = 'a ') => {
  const [head, tail] = ['{"query":"{', '}"}'];
  return (head + word.repeat(bytes / word.length)).slice(0, bytes - tail.length) + tail;
};

async function send(body: string, token: string | null = null, headers: Record<string, string> = {}): Promise<Answer> {
  return read(
    await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body,
    }),
  );
}

const outcome = ({ status, body }: Answer): unknown[] => [status, body.errors?.[0]?.extensions?.code ?? null];
const isAlive = async () => (await fetch(`${service.url}/healthz`)).status;

describe('a caller without a credential', () => {
  it('cannot stop the service with 8 MiB of fields or a hundred concurrent floods, which are refused', async () => {
    expect(outcome(await send(flood(8 * MIB)))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        send(flood(64 * KIB - index, index % 2 ? 'a ' : 'permissionsManifest{scopes{name}} ')),
      ),
    );
    for (const answer of answers) expect(outcome(answer)).toEqual([400, 'VALIDATION_ERROR']);
    expect(await isAlive()).toBe(200);
  });

  it.each([
    ['64 KiB', 64 * KIB, [400, 'VALIDATION_ERROR']],
    ['a byte more', 64 * KIB + 1, [413, 'PAYLOAD_TOO_LARGE']],
  ])('may send %s', async (_name, bytes, expected) => {
    expect(outcome(await send(flood(bytes)))).toEqual(expected);
  });

  it.each(['sk_live_nothing', 'no key at all'])('includes a caller with an invalid credential: %s', async (token) => {
    expect(outcome(await send(flood(MIB), token))).toEqual(
      token.includes(' ') ? [413, 'PAYLOAD_TOO_LARGE'] : [401, 'UNAUTHORIZED'],
    );
  });

  it('cannot send more than the length that it declared', async () => {
    expect(await sendChunks('/graphql', { 'content-type': 'application/json' })).toBe(413);
  });

  it.each(['/graphql', '/principal'])(
    'cannot pass for a process of this service at %s: the signature is checked before the body is read',
    async (path) => {
      expect(await sendChunks(path, { 'content-type': 'application/json', 'x-principal': 'forged.seal' })).toBe(401);
    },
  );

  it('cannot send compressed bodies', async () => {
    expect(outcome(await send('{}', null, { 'content-encoding': 'gzip' }))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});

describe('a caller with a credential', () => {
  const events = (count: number) =>
    Array.from({ length: count }, () => usageEvent({ metadata: { padding: 'x'.repeat(32 * KIB - 100) } }));
  const INGEST = 'mutation ($events: JSON!) { ingestUsageEvents(events: $events) }';

  it('may send 1 MiB', async () => {
    const key = service.firstRun.live_read_key;
    const padded = (bytes: number) =>
      JSON.stringify({ query: '{ caller { ok } }', variables: { padding: 'x'.repeat(bytes) } });
    expect(outcome(await send(padded(MIB - 100), key))).toEqual([200, null]);
    expect(outcome(await send(padded(MIB), key))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('may sign and send a batch of a hundred events with the most metadata', async () => {
    const key = service.firstRun.live_ingest_key;
    const body = JSON.stringify({ query: INGEST, variables: { events: events(100) } });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signed = await send(body, key, { 'x-timestamp': timestamp, 'x-signature': sign(key, timestamp, body) });
    expect(signed.body).toMatchObject({ data: { ingestUsageEvents: { accepted: 100 } } });
    expect(outcome(await send(body, key))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    // A key that may not ingest gains nothing from a signature.
    const reader = service.firstRun.live_read_key;
    expect(
      outcome(await send(body, reader, { 'x-timestamp': timestamp, 'x-signature': sign(reader, timestamp, body) })),
    ).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it.each(['[', '{"a":'])('may not send variables that are nested too deeply: %s', async (opening) => {
    const depth = 100_000;
    const closing = opening === '[' ? ']' : '}';
    const body = `{"query":"{ caller { ok } }","variables":{"x":${opening.repeat(depth)}1${closing.repeat(depth)}}}`;
    expect(outcome(await send(body, service.firstRun.live_read_key))).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('the limit by address', () => {
  it('counts only callers without a valid credential, by the address that trusted proxies report, IPv6 by its /64', async () => {
    const limited = await runningService(
      { ANONYMOUS_RATE_LIMIT: '2;w=600', TRUSTED_PROXIES: '127.0.0.1,::1' },
      { jobs: false },
    );
    try {
      const began = performance.now();
      const from = async (address: string, token?: string) =>
        read(
          await fetch(`${limited.url}/graphql`, {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              'x-forwarded-for': address,
              ...(token ? { authorization: `Bearer ${token}` } : {}),
            },
            body: JSON.stringify({ query: '{ permissionsManifest { scopes { name } } }' }),
          }),
        );
      expect(outcome(await from('2001:db8:1:2::1'))).toEqual([200, null]);
      expect(outcome(await from('2001:db8:1:2::2', 'sk_live_nothing'))).toEqual([401, 'UNAUTHORIZED']);
      const refused = await from('2001:db8:1:2::3');
      expect(outcome(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      const { headers } = refused;
      expect(['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-policy'].map((name) => headers.get(name))).toEqual([
        '2',
        '0',
        '2;w=600',
      ]);
      const passed = (performance.now() - began) / 1000;
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(Math.floor(600 - passed));
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(600);
      expect(outcome(await from('2001:db8:1:3::1'))).toEqual([200, null]);
      expect(outcome(await from('2001:db8:1:2::3', limited.firstRun.live_read_key))).toEqual([200, null]);
    } finally {
      await limited.stop();
    }
  });
});

it('a document of ordinary size is accepted', async () => {
  const fields = Array.from(
    { length: 25 },
    (_, index) =>
      `w${index}: window(start: "2026-01-01", end: "2026-02-01") { start end usageSummary { totalEvents } }`,
  ).join(' ');
  expect(outcome(await graphql(service.url, service.firstRun.live_read_key, `{ ${fields} }`))).toEqual([200, null]);
});

/** Sends chunks without a length until a response arrives. */
function sendChunks(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    let answered = false;
    const sending = request({ hostname, port, path, method: 'POST', headers }, (response) => {
      answered = true;
      response.resume();
      sending.destroy();
      resolve(response.statusCode ?? 0);
    });
    sending.on('error', (error) => {
      if (!answered) reject(error);
    });
    const write = () => {
      if (!answered) sending.write('a '.repeat(4 * KIB), () => setImmediate(write));
    };
    write();
  });
}
