/** The HTTP server of every process: liveness, readiness, metrics, and one error format. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { answerError } from '../rest-adapter/answer-error.ts';
import { answerUnreadable } from '../rest-adapter/answer-unreadable.ts';
import { allowOrigins } from '../rest-adapter/hooks/allow-origins.ts';
import { correlate } from '../rest-adapter/hooks/correlate.ts';
import { type Config, CONNECTIONS_PER_ADDRESS } from '#platform/config.ts';
import type { Log } from '#platform/log.ts';
import { readableHops } from '#platform/forwarded-hops.ts';
import { blockListOf, familyOf } from '#platform/network-of.ts';
import { traceRequests } from '#platform/observability/tracing.ts';
import { METRICS_CONTENT_TYPE, printMetrics, recordRefusal, requestSeconds } from '#platform/metrics.ts';

/** Body of `/readyz`: `ready`, and details that help to see why not. */
export type Readiness = () => Promise<{ ready: boolean } & Record<string, unknown>>;

const PARAMETER_LENGTH_MAX = 4096;
/**
 * Milliseconds after which a connection is closed if its headers or its request have not arrived, or if it is idle
 * between requests.
 */
const TIMEOUTS = { headers: 10_000, request: 60_000, keepAlive: 72_000, checks: 2_000 };
const CONNECTIONS_MAX = 8_192;
/** How long running requests may take once the server closes. */
const GRACE_MILLISECONDS = 10_000;

type HttpSettings = Pick<Config, 'trustedProxies'> & Partial<Pick<Config, 'connectionsPerAddress' | 'corsOrigins'>>;

/** Behind proxies, the caller's address is the one reported by the first trusted proxy. */
export function createHttpApp(
  log: Log,
  readiness: Readiness,
  { trustedProxies, connectionsPerAddress = CONNECTIONS_PER_ADDRESS, corsOrigins = [] }: HttpSettings,
  print: () => Promise<string> = printMetrics,
): FastifyInstance {
  const app = fastify({
    loggerInstance: oneForAll(log),
    logController: new LogController({ disableRequestLogging: true }),
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    routerOptions: { maxParamLength: PARAMETER_LENGTH_MAX },
    forceCloseConnections: 'idle',
    // A request that arrives while the server closes is still served; its connection is then closed.
    return503OnClosing: false,
    requestTimeout: TIMEOUTS.request,
    keepAliveTimeout: TIMEOUTS.keepAlive,
    http: { headersTimeout: TIMEOUTS.headers, connectionsCheckingInterval: TIMEOUTS.checks },
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    clientErrorHandler: answerUnreadable,
    // An unreadable URL matches no route, so no hooks run for it.
    frameworkErrors: (error, request: FastifyRequest, reply: FastifyReply) => {
      correlate(request, reply, () => void answerError(error, request, reply));
    },
  }) as unknown as FastifyInstance;
  if (trustedProxies.length > 0) readForwardedHops(app, log);
  traceRequests(app);
  allowOrigins(app, corsOrigins);
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    if (reply.statusCode === 413) recordRefusal('body_too_large');
    requestSeconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    if (log.isLevelEnabled('debug'))
      request.log.debug(
        {
          method: request.method,
          route,
          status: reply.statusCode,
          milliseconds: Math.round(reply.elapsedTime),
          correlationId: request.correlationId,
        },
        'Answered',
      );
    done();
  });
  closeConnections(app);
  limitConnections(app.server, { total: CONNECTIONS_MAX, perAddress: connectionsPerAddress, exempt: trustedProxies });
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const state = await readiness();
    return reply.code(state.ready ? 200 : 503).send(state);
  });
  app.get('/metrics', async (_request, reply) => reply.type(METRICS_CONTENT_TYPE).send(await print()));
  return app;
}

/** Runs before anything reads the address of a request. */
function readForwardedHops(app: FastifyInstance, log: Log): void {
  let isTold = false;
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    const header = headers['x-forwarded-for'];
    if (header !== undefined) {
      const { hops, unreadable } = readableHops(String(header));
      if (unreadable !== null && !isTold) {
        isTold = true;
        log.warn(
          { hop: unreadable.slice(0, 64) },
          'A proxy sends X-Forwarded-For without a valid address: its own address is used',
        );
      }
      headers['x-forwarded-for'] = hops.join(', ');
      if (hops.length === 0) delete headers['x-forwarded-for'];
    }
    done();
  });
}

/** Log lines contain the correlation id. A logger per request would cost more than all of its lines. */
function oneForAll(log: Log): Log {
  const one = Object.create(log, { child: { value: () => one } }) as Log;
  return one;
}

/** Routes validate and serialize with our own code, so Fastify's JSON schema compilers (80 modules) are not loaded. */
function noSchemas(): never {
  throw new Error('Routes must not have a JSON schema');
}

/**
 * A connection with a running request would stay open until its keep-alive timeout after the server begins to close.
 * This closes it after the response.
 */
function closeConnections(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook('preClose', (done) => {
    isClosing = true;
    const overdue = setTimeout(() => app.server.closeAllConnections(), GRACE_MILLISECONDS);
    app.server.once('close', () => clearTimeout(overdue));
    done();
  });
  app.addHook('onResponse', (_request, _reply, done) => {
    if (isClosing) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
}

interface ConnectionLimits {
  readonly total: number;
  readonly perAddress: number;
  /** Addresses or networks of trusted proxies, which forward many callers. */
  readonly exempt: readonly string[];
}

/** Closes new connections of an address beyond its limit. */
function limitConnections(server: Server, { total, perAddress, exempt }: ConnectionLimits): void {
  const exempted = blockListOf(exempt);
  const open = new Map<string, number>();
  server.maxConnections = total;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address === undefined || exempted.check(address, familyOf(address))) return;
    const before = open.get(address) ?? 0;
    if (before >= perAddress) {
      recordRefusal('connections_of_address');
      return void socket.destroy();
    }
    open.set(address, before + 1);
    socket.once('close', () => {
      const left = (open.get(address) ?? 0) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}
