/** HTTP client for another process of this service: connection pool, authentication, and a limit on every wait. */
import { Pool } from 'undici';
import { KnownError } from '#kernel/errors.ts';
import { connectionsAborted } from '../database/connections/database-server.ts';
import type { Log } from '../log.ts';
import { logOutage } from '../outage-log.ts';
import { inSpan, traceHeaders } from '../observability/tracing.ts';
import type { Principal } from '../principal.ts';
import { joinInSlices } from '../slices.ts';
import { PeerCircuit } from './peer-circuit.ts';
import type { Proof } from './proof.ts';
import { AWAY_MESSAGE, unavailability, type Unavailability } from '../unavailability.ts';

interface PeerAnswer {
  readonly statusCode: number;
  readonly bytes: Buffer;
}

export interface HttpPeer {
  /**
   * Returns a response of any status except 401, 502, 503 and 504. Fails with `SERVICE_UNAVAILABLE` if the peer is
   * unreachable, does not respond in time, or reports that it is unavailable; the cause is logged. Throws for a
   * response larger than `ANSWER_BYTES_MAX`.
   */
  post(path: string, body: string, principal: Principal): Promise<PeerAnswer>;
  close(): Promise<void>;
}

export interface HttpPeerOptions {
  /** For messages: `The gateway`, `The subgraph costing`. */
  readonly name: string;
  readonly url: string;
  readonly proof: Proof;
  /** A logger that names the peer. */
  readonly log: Log;
  /**
   * Extra time for a peer that waits for other processes itself, so that it can still report which one is unavailable.
   */
  readonly hopMilliseconds?: number;
}

const CONNECTIONS_MAX = 64;

/** Maximum response size; a larger response is cut off. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Maximum duration of a response. A person may wait a minute for a sync; an operator's verification or repricing reads
 * every event.
 */
const ANSWER_MILLISECONDS_MAX: Readonly<Record<Principal['kind'], number>> = {
  anonymous: 20_000,
  'api-key': 20_000,
  service: 20_000,
  session: 65_000,
  operator: 900_000,
};

/** Sent by a proxy in between, or by the peer while a dependency is unavailable. */
const AWAY_STATUSES: readonly number[] = [502, 503, 504];
/** The peer rejects our signature: a change of secrets in progress, or a wrong clock. The caller cannot fix it. */
const REFUSED_STATUS = 401;
const REFUSED_CAUSE =
  'status 401: it rejected our proof; compare SERVICE_SECRET or SERVICE_TOKEN and the clocks of both processes';

export function httpPeer({ name, url, proof, log, hopMilliseconds = 0 }: HttpPeerOptions): HttpPeer {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/$/, '');
  const circuit = new PeerCircuit(name, origin);
  const openPool = () =>
    new Pool(origin, {
      connections: CONNECTIONS_MAX,
      pipelining: 1,
      connect: circuit.connect,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  let pool = openPool();
  const pools = new Set([pool]);
  /** A dead connection looks like any other, so idle ones are not reused. */
  const replacePool = (): void => {
    const old = pool;
    pool = openPool();
    pools.add(pool);
    void old.close().finally(() => pools.delete(old));
  };
  const away = ({ state, cause }: Unavailability, correlationId: string): never => {
    logOutage(log, name, { state, cause, correlationId });
    throw new KnownError('SERVICE_UNAVAILABLE', AWAY_MESSAGE);
  };
  return {
    async post(path, body, principal) {
      const { correlationId } = principal;
      const used = pool;
      const replaceUsed = (): void => {
        if (pool === used) replacePool();
      };
      const ask = () => circuit.run(send, replaceUsed);
      const answer = await inSpan(() => `POST ${path} of ${name}`, ask, { kind: 'client' }).catch((error: unknown) => {
        if (hasTimedOut(error)) replaceUsed();
        const outage = unavailability(error);
        if (outage) return away(outage, correlationId);
        throw error;
      });
      const { statusCode } = answer;
      if (AWAY_STATUSES.includes(statusCode))
        away({ state: 'unreachable', cause: `status ${statusCode}` }, correlationId);
      if (statusCode === REFUSED_STATUS) away({ state: 'unreachable', cause: REFUSED_CAUSE }, correlationId);
      return answer;

      async function send(frozen: AbortSignal): Promise<PeerAnswer> {
        const { statusCode, body: answer } = await used.request({
          path: `${base}${path}`,
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json',
            'x-correlation-id': correlationId,
            ...traceHeaders(),
            ...proof(principal),
          },
          body,
          signal: AbortSignal.any([
            frozen,
            connectionsAborted,
            AbortSignal.timeout(ANSWER_MILLISECONDS_MAX[principal.kind] + hopMilliseconds),
          ]),
        });
        return { statusCode, bytes: await readBytes(answer) };
      }
    },
    // Requests to a frozen peer fail with SERVICE_UNAVAILABLE.
    close: async () => void (await Promise.all([...pools].map((each) => each.destroy()))),
  };
}

async function readBytes(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop destroys the body and its connection.
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`The response is larger than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return joinInSlices(chunks);
}

/** Aborted by its own time limit, or because the peer is frozen. */
function hasTimedOut(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: string };
  return name === 'TimeoutError' || code === 'ETIMEDOUT';
}
