/** Apollo Gateway without the parts that are never used here, and with our log. */
import type { GatewayExecutor, GatewayGraphQLRequestContext } from '@apollo/server-gateway-interface';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { importWithout, type Part } from '#platform/import-without.ts';
import type { Log } from '#platform/log.ts';
import type { Principal } from '#platform/principal.ts';
import type { GraphQLAnswer } from '#platform/transports/subgraph-transport.ts';
import type { DeniedFields } from './failures/denied-fields.ts';
import { STAND_INS } from './stand-ins.ts';

const GATEWAY = '/@apollo/gateway/dist/';

/** Modules that report to Apollo. They are loaded even if reporting is off (`APOLLO_TELEMETRY_DISABLED`). */
const REPORTING = [
  'semantic-conventions/incubating',
  'sdk-metrics',
  'resources',
  'exporter-metrics-otlp-http',
  'resource-detector-alibaba-cloud',
  'resource-detector-aws',
  'resource-detector-azure',
  'resource-detector-gcp',
].map((name): Part => ({ specifier: `@opentelemetry/${name}`, importer: `${GATEWAY}utilities/opentelemetry.js` }));

/**
 * A thousand modules: a tenth of the start time, and of the memory of an idle process. Some dependencies of the
 * reporting modules are not even installed: `overrides` in package.json replace the exporter and detectors (80 MB)
 * with the tracing package.
 */
const LEFT_OUT: readonly Part[] = [
  ...REPORTING,
  {
    specifier: '@apollo/usage-reporting-protobuf',
    importer: GATEWAY,
    standIn: STAND_INS,
  },
  // Unused: subgraphs are queried through our own transports, and the supergraph is already composed.
  { specifier: 'make-fetch-happen', importer: GATEWAY },
  { specifier: 'node-fetch', importer: GATEWAY },
  { specifier: '@apollo/composition', importer: GATEWAY },
  // Diagrams of its graphs.
  { specifier: 'ts-graphviz', importer: '/@apollo/query-graphs/dist/' },
];

export const { ApolloGateway } = await importWithout(LEFT_OUT, () => import('@apollo/gateway'));

/** The context that Apollo passes from our edge to our data sources. */
export interface GatewayContext {
  readonly principal: Principal;
  /** Response of the only subgraph of a direct document; it is used instead of querying the subgraph again. */
  readonly answered?: GraphQLAnswer[];
  /** Fields of the document that the caller may not read, as `Type.field`. */
  readonly outcome?: { denied: DeniedFields };
  /** Set at the first fetch, so that all fetches of an operation use the same current time. */
  operation?: { readonly principal: Principal; readonly requestedAt: Date };
}

export interface PreparedDocument {
  readonly document: DocumentNode;
  readonly queryHash: string;
}

/** The executor reads only these members of Apollo's request context. */
export function requestContext(
  { document, queryHash }: PreparedDocument,
  variables: Record<string, unknown>,
  context: GatewayContext,
  schema: GraphQLSchema,
  logger: ReturnType<typeof apolloLogger>,
): Parameters<GatewayExecutor>[0] {
  return {
    request: { variables },
    document,
    queryHash,
    operationName: null,
    schema,
    logger,
    metrics: {},
    context,
  } as unknown as GatewayGraphQLRequestContext;
}

/** Most of Apollo's messages are unimportant, so info is logged as debug. */
export function apolloLogger(log: Log) {
  const write = (level: 'debug' | 'warn' | 'error') => (message?: unknown) =>
    log[level]({ source: 'apollo' }, String(message));
  return { debug: write('debug'), info: write('debug'), warn: write('warn'), error: write('error') };
}
