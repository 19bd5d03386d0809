/**
 * Whether this process can do its work now, and what is away that it can do without: for `/readyz`. Nothing here fails,
 * and nothing takes longer than its limit; an edge waits longer than those it asks, so that a slow one costs it no
 * answer of its own.
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

/** Of a process with databases: all of them can be read and written, and are as its migrations left them. */
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
 * Of the gateway: identity says whose a credential is. Any other subgraph may be away: what it answers is missing then,
 * and the rest is served.
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

/** Of the adapter: what its gateway says of itself. */
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

/** Says so while the process is about to stop. */
function draining(): { draining?: true } {
  return isDraining() ? { draining: true } : {};
}

/** Without a file yet, the committed supergraph is served; with one that does not fit, subgraphs that joined are missing. */
function isServable(gateway?: Pick<Gateway, 'fileState'>): boolean {
  return gateway?.fileState() !== 'refused';
}

function supergraphState(gateway?: Pick<Gateway, 'fileState'>): { supergraph?: SupergraphState } {
  const state = gateway?.fileState() ?? null;
  return state === null ? {} : { supergraph: state };
}

/** Whether the counters of the limits are shared, where they should be. Meanwhile each process counts alone. */
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

/** Figures of the whole service, looked up when `/metrics` is read. */
export function observeBacklog(client: GatewayClient): void {
  const figures = shareCheck(() => readBacklog(client), DATABASE_MILLISECONDS_MAX, NOTHING_READ);
  const read = (figure: keyof Backlog) => async () => (await figures()).backlog?.[figure] ?? null;
  observedGauge('books_pricing_backlog_events', 'Accepted events whose turn has not come.', read('pendingEvents'));
  observedGauge(
    'books_pricing_oldest_pending_seconds',
    'Age of the oldest event that waits for its turn.',
    read('oldestPendingSeconds'),
  );
  observedGauge(
    'books_feed_lag_batches',
    'Batches of the feed that the slowest follower has not acknowledged.',
    read('feedLag'),
  );
  observedGauge(
    'books_feed_oldest_unacknowledged_seconds',
    'Age of the oldest batch of the feed that a follower has not acknowledged.',
    read('oldestUnacknowledgedSeconds'),
  );
  observedGauge(
    'books_catalogue_age_days',
    'Days since the prices of the imported catalogue were published.',
    async () => (await figures()).catalogue?.ageDays ?? null,
  );
}

interface Figures {
  readonly backlog: Backlog | null;
  readonly catalogue: CatalogueState | null;
}

const NOTHING_READ: Figures = { backlog: null, catalogue: null };

/** `null` while it cannot be read. */
async function readBacklog(client: GatewayClient): Promise<Figures> {
  const answer = await client.execute(BACKLOG, {}, servicePrincipal('metrics', randomUuid())).catch(() => null);
  return { backlog: answer?.data?.pricingBacklog ?? null, catalogue: answer?.data?.catalogue ?? null };
}

interface PeerReadiness {
  /** `not ready`: it answers, and lacks something that it needs. */
  readonly state: 'ok' | 'not ready' | UnavailableState;
  /** Empty where it says nothing that can be read. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * What another process of this service says at its `/readyz`.
 *
 * Never fails. A peer that has no such address but answers is `ok`: a subgraph may be somebody else's.
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
