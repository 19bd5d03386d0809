/**
 * Attacks that one organization may mount within its rights. Each runs until it is told to stop, and counts its
 * refusals.
 */
import { HOUR_MS } from '#kernel/time/duration.ts';
import { graphql } from '#schema/graphql.ts';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Pool } from 'undici';
import { now } from '#platform/clock.ts';
import { randomUuid } from '#platform/random.ts';
import { askOperator } from '../support/ask-operator.ts';
import { sign } from '../support/signed-batches.ts';
import type { Service } from '../support/start-service.ts';

export interface Attacker {
  readonly service: Pick<Service, 'url' | 'firstRun'>;
  readonly organizationId: string;
  readonly readKey: string;
  readonly ingestKey: string;
}

export interface Outcome {
  accepted: number;
  /** Requests refused with 429, 503, 422, 413 or 400, or by a closed connection. */
  refused: number;
}

/** Prepares the requests; the returned function sends them. */
export type Attack = (attacker: Attacker) => (isOver: () => boolean, outcome: Outcome) => Promise<void>;

const BATCHES_A_MINUTE = 100;
const SENDERS = 4;
const READERS = 12;
const DIMENSIONS = 1_000;
/** One for each field of the document. */
const DIMENSIONS_AT_ONCE = 5;
const CONNECTIONS = 1_000;
const CONNECTIONS_AT_ONCE = 20;
const CONNECTING_MILLISECONDS = 50;
/** Slightly below the limit for decompressed bodies. */
const UNPACKED_BYTES = 15 * 1024 * 1024;
/** A refused caller waits as long as it is told, up to this limit. */
const WAIT_MILLISECONDS = 1_000;

type Event = Readonly<Record<string, unknown>>;

const event = (more: Event): Event => ({
  idempotency_key: randomUuid(),
  model: 'gpt-4o',
  provider: 'openai',
  input_tokens: 1_000,
  output_tokens: 100,
  event_invoked_at: now().toISOString(),
  ...more,
});

/** Sends batches over several connections, as many per minute as one key may. */
function batches(item: (batch: number, index: number) => Event, exactNumber?: string): Attack {
  return ({ service, ingestKey }) => {
    const bodies = Array.from({ length: BATCHES_A_MINUTE }, (_, batch) => bodyOf(batch, item, exactNumber));
    return (isOver, outcome) => sendAll(service.url, ingestKey, bodies, isOver, outcome);
  };
}

async function sendAll(
  url: string,
  ingestKey: string,
  bodies: Buffer[],
  isOver: () => boolean,
  outcome: Outcome,
): Promise<void> {
  const pool = new Pool(url, { connections: SENDERS, pipelining: 1 });
  const send = async (): Promise<void> => {
    for (let body = bodies.pop(); body && !isOver(); body = bodies.pop()) {
      const request = sign(body, ingestKey);
      const { statusCode, body: answer } = await pool.request({
        path: '/v1/usage-events/batch',
        method: 'POST',
        headers: request.headers,
        body: request.body,
      });
      await answer.dump();
      if (statusCode === 202) {
        outcome.accepted++;
      } else {
        outcome.refused++;
        bodies.push(body);
        await pause(WAIT_MILLISECONDS);
      }
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  await pool.close();
}

function bodyOf(batch: number, item: (batch: number, index: number) => Event, exactNumber = '0'): Buffer {
  const text = JSON.stringify(Array.from({ length: 100 }, (_, index) => event(item(batch, index))));
  return Buffer.from(text.replaceAll('"NUMBER"', exactNumber));
}

const slowReads: Attack =
  ({ service, readKey }) =>
  async (isOver, outcome) => {
    const pool = new Pool(service.url, { connections: READERS, pipelining: 1 });
    const read = async (): Promise<void> => {
      while (!isOver()) {
        const { statusCode, body } = await pool.request({
          path: '/v1/attribution-data/dimension-values?dimension=region&start_date=2000-01-01&end_date=2100-01-01',
          method: 'GET',
          headers: { authorization: `Bearer ${readKey}` },
        });
        await body.dump();
        if (statusCode === 200) outcome.accepted++;
        else outcome.refused++;
        if (statusCode === 429) await pause(WAIT_MILLISECONDS);
      }
    };
    await Promise.all(Array.from({ length: READERS }, read));
    await pool.close();
  };

const REGISTER =
  graphql(`mutation RegisterAttackDimensions($a: String!, $b: String!, $c: String!, $d: String!, $e: String!) {
  a: dimensionRegister(input: { key: $a }) { dimension { key } userErrors { message code } }
  b: dimensionRegister(input: { key: $b }) { dimension { key } userErrors { message code } }
  c: dimensionRegister(input: { key: $c }) { dimension { key } userErrors { message code } }
  d: dimensionRegister(input: { key: $d }) { dimension { key } userErrors { message code } }
  e: dimensionRegister(input: { key: $e }) { dimension { key } userErrors { message code } }
}`);

/** Registers the maximum number of dimensions, then sends events of many hours. */
const dimensions: Attack = (attacker) => {
  const hours = batches((batch, index) => ({
    event_invoked_at: new Date(now().getTime() - ((batch * 100 + index) * HOUR_MS) / 10).toISOString(),
  }));
  const sendHours = hours(attacker);
  return async (isOver, outcome) => {
    for (let key = 0; key < DIMENSIONS && !isOver(); key += DIMENSIONS_AT_ONCE) {
      const [a, b, c, d, e] = [0, 1, 2, 3, 4].map((index) => `key-${key + index}`) as [
        string,
        string,
        string,
        string,
        string,
      ];
      const registered = askOperator(attacker.service, REGISTER, { a, b, c, d, e }, attacker.organizationId);
      await registered.then(
        () => {
          outcome.accepted += DIMENSIONS_AT_ONCE;
        },
        () => {
          outcome.refused += DIMENSIONS_AT_ONCE;
        },
      );
    }
    await sendHours(isOver, outcome);
  };
};

/** Half of the connections send nothing; the other half begin a request and never finish it. */
const idleConnections: Attack =
  ({ service }) =>
  async (isOver, outcome) => {
    const { hostname, port } = new URL(service.url);
    const sockets: Socket[] = [];
    while (!isOver()) {
      for (let opened = 0; opened < CONNECTIONS_AT_ONCE && sockets.length < CONNECTIONS; opened++) {
        const socket = connect(Number(port), hostname);
        if (sockets.push(socket) % 2 === 0)
          socket.write('POST /v1/usage-events/batch HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n');
        socket.on('connect', () => {
          outcome.accepted++;
        });
        socket.on('error', () => {});
        socket.on('close', () => {
          outcome.refused++;
        });
        socket.resume();
      }
      await pause(CONNECTING_MILLISECONDS);
    }
    for (const socket of sockets) socket.removeAllListeners('close').destroy();
  };

/** The smallest values of JSON, in the largest bodies that are unpacked. */
function emptyObjects(): readonly (readonly [path: string, body: Buffer])[] {
  const values = `[${'{},'.repeat(UNPACKED_BYTES / 3)}{}]`;
  return [
    ['/ext/v1/provider-responses', gzipSync(values)],
    ['/ext/v1/provider-responses', gzipSync('{}\n'.repeat(UNPACKED_BYTES / 3))],
    ['/ext/v1/litellm', gzipSync(values)],
    ['/otlp/v1/traces', gzipSync(`{"resourceSpans":${values}}`)],
    ['/otlp/v1/logs', gzipSync(`{"resourceLogs":[{"scopeLogs":${values}}]}`)],
  ];
}

/** Bodies of 16 KiB that unpack to five million values each: whatever is answered, sending them must cost others nothing. */
const smallBodies: Attack = ({ service, ingestKey }) => {
  const bodies = emptyObjects();
  let sent = 0;
  return async (isOver, outcome) => {
    const pool = new Pool(service.url, { connections: SENDERS, pipelining: 1 });
    const send = async (): Promise<void> => {
      while (!isOver()) {
        const [path, bytes] = bodies[sent++ % bodies.length]!;
        const { headers, body } = sign(bytes, ingestKey);
        const { statusCode, body: answer } = await pool.request({
          path,
          method: 'POST',
          headers: { ...headers, 'content-encoding': 'gzip' },
          body,
        });
        await answer.dump();
        if (statusCode < 300) outcome.accepted++;
        else outcome.refused++;
        if (statusCode === 429) await pause(WAIT_MILLISECONDS);
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, send));
    await pool.close();
  };
};

const texts = Object.fromEntries(
  Array.from({ length: 100 }, (_, index) => [`key_${String(index).padStart(3, '0')}`, 'x'.repeat(255)]),
);
const numbers = { list: Array(1_350).fill('NUMBER') };

export const ATTACKS: Readonly<Record<string, Attack>> = {
  'maximal metadata': batches(() => ({ metadata: texts })),
  'exact numbers': batches(() => ({ metadata: numbers }), '0.12345678901234567890'),
  'odd models': batches((batch, index) => ({ model: `${batch}-${index}-${'odd/name-'.repeat(40)}`.slice(0, 255) })),
  'slow reads': slowReads,
  'small bodies': smallBodies,
  'idle connections': idleConnections,
  dimensions,
};
