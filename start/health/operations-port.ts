/** The operations port: liveness, readiness and metrics, separate from the public port. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '#platform/config.ts';
import type { Log } from '#platform/log.ts';
import { METRICS_CONTENT_TYPE, observedGauges, printMetrics } from '#platform/metrics.ts';
import type { Readiness } from '../http-app.ts';
import { explained } from '../listen-on.ts';

/** Default distance from the service's port. */
const OFFSET = 1_000;
const PORT_MAX = 65_535;
const CONNECTIONS_MAX = 64;
const TIMEOUT_MILLISECONDS = 10_000;

export interface OperationsPort {
  /** `null`: the setting is missing, and the default port is already in use. */
  readonly url: string | null;
  close(): Promise<void>;
}

type Settings = Pick<Config, 'host' | 'port' | 'operationsHost' | 'operationsPort'>;

export function observeReadiness(readiness: Readiness): void {
  observedGauges(
    {
      name: 'books_ready',
      help: '1 if /readyz reports that the process is ready, otherwise 0.',
      labels: [],
      ofWorkers: 'min',
    },
    async () => [{ labels: {}, value: (await readiness()).ready ? 1 : 0 }],
  );
}

/** Throws a {@link StartError} if a configured port is unavailable. */
export async function serveOperations(
  readiness: Readiness,
  config: Settings,
  log: Log,
  print: () => Promise<string> = printMetrics,
): Promise<OperationsPort> {
  const server = createServer({ headersTimeout: TIMEOUT_MILLISECONDS, requestTimeout: TIMEOUT_MILLISECONDS });
  server.maxConnections = CONNECTIONS_MAX;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response, { readiness, print }).catch((error: unknown) => {
      log.error({ err: error }, 'The operations port could not respond');
      response.destroy();
    });
  });
  const { operationsHost: host } = config;
  const port = config.operationsPort ?? portNextTo(config.port);
  try {
    await listen(server, host, port);
  } catch (error) {
    if (config.operationsPort !== null) throw explained(error, { host, port }, 'OPERATIONS_');
    log.warn(
      { err: error, port },
      'No operations port: set OPERATIONS_PORT. Health and metrics are available at the port of the service',
    );
    return { url: null, close: async () => {} };
  }
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** If the service uses port 0, so does this one. */
function portNextTo(port: number): number {
  if (port === 0) return 0;
  return port + OFFSET <= PORT_MAX ? port + OFFSET : port - OFFSET;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      server.on('error', () => {});
      server.unref();
      resolve();
    });
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { readiness, print }: { readonly readiness: Readiness; readonly print: () => Promise<string> },
): Promise<void> {
  const path = request.url?.split('?', 1)[0];
  if (path === '/metrics') return send(response, 200, METRICS_CONTENT_TYPE, await print());
  if (path === '/healthz') return send(response, 200, JSON_TYPE, JSON.stringify({ status: 'ok' }));
  if (path !== '/readyz') return send(response, 404, 'text/plain', 'This port serves /healthz, /readyz and /metrics\n');
  const state = await readiness();
  send(response, state.ready ? 200 : 503, JSON_TYPE, JSON.stringify(state));
}

const JSON_TYPE = 'application/json; charset=utf-8';

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'Content-Type': type }).end(text);
}
