/** Apollo Gateway without the parts that are never reached here; its log is ours. */
import type { GatewayExecutor, GatewayGraphQLRequestContext } from '@apollo/server-gateway-interface';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { importWithout, type Part } from '../platform/import-without.ts';
import type { Log } from '../platform/log.ts';
import type { Principal } from '../platform/principal.ts';
import type { GraphQLAnswer } from '../platform/transports/subgraph-transport.ts';
import type { DeniedFields } from './failures/denied-fields.ts';
import { STAND_INS } from './stand-ins.ts';

const GATEWAY = '/@apollo/gateway/dist/';

/** Those by which it would report to its maker, loaded even where nothing reports (`APOLLO_TELEMETRY_DISABLED`). */
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
 * A thousand modules, a tenth of the time of a start and of the memory of a process at rest. What reports is not even installed with all that
 * it needs: `overrides` in package.json put the tracing package in the place of its exporter and detectors (80 MB).
 */
const LEFT_OUT: readonly Part[] = [
  ...REPORTING,
  {
    specifier: '@apollo/usage-reporting-protobuf',
    importer: GATEWAY,
    standIn: STAND_INS,
  },
  // It asks subgraphs by our own transports, and takes a supergraph that is composed.
  { specifier: 'make-fetch-happen', importer: GATEWAY },
  { specifier: 'node-fetch', importer: GATEWAY },
  { specifier: '@apollo/composition', importer: GATEWAY },
  // Pictures of its graphs.
  { specifier: 'ts-graphviz', importer: '/@apollo/query-graphs/dist/' },
];

export const { ApolloGateway } = await importWithout(LEFT_OUT, () => import('@apollo/gateway'));

/** What Apollo hands from our edge to our data sources. */
export interface GatewayContext {
  readonly principal: Principal;
  /** What the one subgraph of a direct document has answered: it is taken, and not asked for once more. */
  readonly answered?: GraphQLAnswer[];
  /** Fields of the document that the caller may not read, by `Type.field`. */
  readonly outcome?: { denied: DeniedFields };
  /** Set at the first fetch: all of one operation must mean one moment by now. */
  operation?: { readonly principal: Principal; readonly requestedAt: Date };
}

export interface PreparedDocument {
  readonly document: DocumentNode;
  readonly queryHash: string;
}

/** The executor reads these members of Apollo's request context and no others. */
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

/** Of what it has to say, little is news. */
export function apolloLogger(log: Log) {
  const write = (level: 'debug' | 'warn' | 'error') => (message?: unknown) =>
    log[level]({ source: 'apollo' }, String(message));
  return { debug: write('debug'), info: write('debug'), warn: write('warn'), error: write('error') };
}
