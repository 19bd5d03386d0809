/**
 * The content of `/readyz`: whether this process can work, and which optional dependencies are unavailable. It never
 * fails, and always responds within its time limit. A gateway or adapter waits longer than the processes it asks, so
 * that a slow one does not delay its own response.
 */
import { request } from 'undici';
import type { Gateway } from '../../gateway/create-gateway.ts';
import type { SupergraphState } from '../../gateway/serve-supergraph-file.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { observedGauge } from '#platform/metrics.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import type { RateLimiters } from '#platform/rate-limits/rate-limiters.ts';
import { graphql } from '#schema/graphql.ts';
import { type UnavailableState, unavailability } from '#platform/unavailability.ts';
import type { DatabaseChecks } from './check-databases.ts';
import { isDraining } from './drain.ts';
import type { Readiness } from '../http-app.ts';
import { DATABASE_MILLISECONDS_MAX, shareCheck } from './share-check.ts';

const GATEWAY_MILLISECONDS_MAX = 2_000;
const ADAPTER_MILLISECONDS_MAX = 2_500;

/** A process with databases is ready if all of them are readable, writable and have the schema of its migrations. */
export function readiness({
  databases,
  backlog,
  limiters,
  gateway,
}: {
  databases: DatabaseChecks;
  backlog?: GatewayClient;
  limiters?: RateLimiters;
  gateway?: Pick<Gateway, 'fileState'>;
}): Readiness {
  const readBacklog = backlog && sharedBacklog(backlog, DATABASE_MILLISECONDS_MAX);
  return async () => {
    const [results, waiting] = await Promise.all([
      Promise.all(databases.states.map((state) => state())),
      readBacklog?.(),
    ]);
    return {
      ready: !isDraining() && isServable(gateway) && results.every(([, state]) => state === 'ok'),
      ...draining(),
      databases: Object.fromEntries(results),
      ...supergraphState(gateway),
      ...(limiters ? limitersState(limiters) : {}),
      ...waiting,
    };
  };
}

/**
 * For the gateway: ready if identity can authenticate callers. Other subgraphs may be unavailable: only their data is
 * then missing from responses.
 */
export function gatewayReadiness(
  gateway: Pick<Gateway, 'fileState'>,
  client: GatewayClient,
  subgraphUrls: Readonly<Record<string, string | null>>,
  limiters: RateLimiters,
): Readiness {
  const authenticates = async () =>
    client.authenticate({ kind: 'session', token: 'readiness' }, randomUuid()).then(
      () => true,
      () => false,
    );
  const canAuthenticate = shareCheck(authenticates, GATEWAY_MILLISECONDS_MAX, false);
  const subgraphs = Object.entries(subgraphUrls).flatMap(([name, url]) =>
    url === null
      ? []
      : [
          shareCheck(
            async () => [name, (await readPeerReadiness(url, GATEWAY_MILLISECONDS_MAX)).state] as const,
            GATEWAY_MILLISECONDS_MAX,
            [name, 'unresponsive'] as const,
          ),
        ],
  );
  const readBacklog = sharedBacklog(client, GATEWAY_MILLISECONDS_MAX);
  return async () => {
    const [ready, states, waiting] = await Promise.all([
      canAuthenticate(),
      Promise.all(subgraphs.map((state) => state())),
      readBacklog(),
    ]);
    return {
      ready: ready && !isDraining() && isServable(gateway),
      ...draining(),
      databases: {},
      ...supergraphState(gateway),
      subgraphs: Object.fromEntries(states),
      ...limitersState(limiters),
      ...waiting,
    };
  };
}

/** The adapter is ready if its gateway reports that it is. */
export function adapterReadiness(gatewayUrl: string, limiters: RateLimiters): Readiness {
  const read = shareCheck<PeerReadiness>(
    () => readPeerReadiness(gatewayUrl, ADAPTER_MILLISECONDS_MAX),
    ADAPTER_MILLISECONDS_MAX,
    { state: 'unresponsive', body: {} },
  );
  return async () => {
    const { state, body } = await read();
    return {
      ready: state === 'ok' && !isDraining(),
      ...draining(),
      databases: {},
      gateway: state,
      ...(body['subgraphs'] ? { subgraphs: body['subgraphs'] } : {}),
      ...limitersState(limiters),
      backlog: body['backlog'] ?? null,
      catalogue: body['catalogue'] ?? null,
    };
  };
}

/** Reports that the process is about to stop. */
function draining(): { draining?: true } {
  return isDraining() ? { draining: true } : {};
}

/** Without a file, the committed supergraph is served. If the file is not usable, joined subgraphs are missing. */
function isServable(gateway?: Pick<Gateway, 'fileState'>): boolean {
  return gateway?.fileState() !== 'refused';
}

function supergraphState(gateway?: Pick<Gateway, 'fileState'>): { supergraph?: SupergraphState } {
  const state = gateway?.fileState() ?? null;
  return state === null ? {} : { supergraph: state };
}

/** True if rate limit counters are shared, if configured. While Redis is unavailable, each process counts alone. */
function limitersState({ redisState }: RateLimiters): Record<string, string> {
  const state = redisState();
  return state === null ? {} : { redis: state };
}

interface CatalogueState {
  readonly source: string;
  readonly publishedAt: string;
  readonly ageDays: number;
}

interface Backlog {
  pendingEvents: number;
  feedLag: number;
  oldestPendingSeconds: number;
  oldestUnacknowledgedSeconds: number;
}

const BACKLOG = graphql(`query PricingBacklog {
  pricingBacklog { pendingEvents feedLag oldestPendingSeconds oldestUnacknowledgedSeconds }
  catalogue { source publishedAt ageDays }
}`);

function sharedBacklog(client: GatewayClient, millisecondsMax: number) {
  return shareCheck(
    async () => {
      const { backlog, catalogue } = await readBacklog(client);
      return {
        backlog: backlog && { pending_events: backlog.pendingEvents, feed_lag: backlog.feedLag },
        catalogue: catalogue && {
          source: catalogue.source,
          published_at: catalogue.publishedAt,
          age_days: catalogue.ageDays,
        },
      };
    },
    millisecondsMax,
    { backlog: null, catalogue: null },
  );
}

/** Metrics of the whole service, read when `/metrics` is scraped. */
export function observeBacklog(client: GatewayClient): void {
  const figures = shareCheck(() => readBacklog(client), DATABASE_MILLISECONDS_MAX, NOTHING_READ);
  const read = (figure: keyof Backlog) => async () => (await figures()).backlog?.[figure] ?? null;
  observedGauge(
    'books_pricing_backlog_events',
    'Accepted events that are waiting to be priced.',
    read('pendingEvents'),
  );
  observedGauge(
    'books_pricing_oldest_pending_seconds',
    'Age of the oldest event that is waiting to be priced.',
    read('oldestPendingSeconds'),
  );
  observedGauge(
    'books_feed_lag_batches',
    'Batches of the feed that the slowest consumer has not acknowledged.',
    read('feedLag'),
  );
  observedGauge(
    'books_feed_oldest_unacknowledged_seconds',
    'Age of the oldest batch of the feed that a consumer has not acknowledged.',
    read('oldestUnacknowledgedSeconds'),
  );
  observedGauge(
    'books_catalogue_age_days',
    'Days since the imported price catalogue was published.',
    async () => (await figures()).catalogue?.ageDays ?? null,
  );
}

interface Figures {
  readonly backlog: Backlog | null;
  readonly catalogue: CatalogueState | null;
}

const NOTHING_READ: Figures = { backlog: null, catalogue: null };

/** The figures are `null` while the backlog cannot be read. */
async function readBacklog(client: GatewayClient): Promise<Figures> {
  const answer = await client.execute(BACKLOG, {}, servicePrincipal('metrics', randomUuid())).catch(() => null);
  return { backlog: answer?.data?.pricingBacklog ?? null, catalogue: answer?.data?.catalogue ?? null };
}

interface PeerReadiness {
  /** `not ready`: the process responds, but lacks something it needs. */
  readonly state: 'ok' | 'not ready' | UnavailableState;
  /** Empty if the response could not be read. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Readiness of another process of this service, from its `/readyz`. Never fails. A peer that responds but has no such
 * endpoint is `ok`, since a joined subgraph may be written by others.
 */
async function readPeerReadiness(url: string, millisecondsMax: number): Promise<PeerReadiness> {
  try {
    const { statusCode, body } = await request(`${url}/readyz`, { signal: AbortSignal.timeout(millisecondsMax) });
    return { state: statusCode < 500 ? 'ok' : 'not ready', body: parse(await body.text()) };
  } catch (error) {
    return { state: unavailability(error)?.state ?? 'unreachable', body: {} };
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
