/** Apollo Gateway without the parts by which it would report to its maker; its log is ours. */
import { registerHooks } from 'node:module';
import type { GatewayExecutor, GatewayGraphQLRequestContext } from '@apollo/server-gateway-interface';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Log } from '../platform/log.ts';
import type { Principal } from '../platform/principal.ts';
import type { GraphQLAnswer } from '../platform/transports/subgraph-transport.ts';

/**
 * It loads them even where nothing reports (`APOLLO_TELEMETRY_DISABLED`):
 * 850 modules, a tenth of the time of a start and of the memory of a process at rest. It is loaded without them, and without its
 * exporter and detectors it is installed: `overrides` in package.json put the tracing package in their place (80 MB).
 */
const REPORTING = '/@apollo/gateway/dist/utilities/opentelemetry.js';
/** Spans go through it, to a tracer that is set. */
const TRACING = '@opentelemetry/api';
/** Of Node's own, as none of its names is asked for while the library loads. */
const STAND_IN = 'node:path';

const hooks = registerHooks({
  resolve: (specifier, context, resolve) =>
    resolve(isReporting(specifier, context.parentURL) ? STAND_IN : specifier, context),
});
export const { ApolloGateway } = await import('@apollo/gateway');
hooks.deregister();

function isReporting(specifier: string, parent: string | undefined): boolean {
  return (parent?.endsWith(REPORTING) ?? false) && specifier.startsWith('@opentelemetry/') && specifier !== TRACING;
}

/** What Apollo hands from our edge to our data sources. */
export interface GatewayContext {
  readonly principal: Principal;
  /** What the one subgraph of a direct document has answered: it is taken, and not asked for once more. */
  readonly answered?: GraphQLAnswer[];
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
