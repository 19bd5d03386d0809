/** Types and helpers shared by Apollo Gateway and our own request handling: context, prepared document, log. */
import type { GatewayExecutor, GatewayGraphQLRequestContext } from '@apollo/server-gateway-interface';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Log } from '#platform/log.ts';
import type { Principal } from '#platform/principal.ts';
import type { GraphQLAnswer } from '#platform/transports/subgraph-transport.ts';
import type { DeniedFields } from './failures/denied-fields.ts';

/** The context that Apollo passes from our edge to our data sources. */
export interface GatewayContext {
  readonly principal: Principal;
  /** True for our own documents. Subgraphs compile the fetches of their plans, whose number is fixed. */
  readonly isOwn?: boolean;
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
