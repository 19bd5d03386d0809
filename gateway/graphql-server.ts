/** Apollo Server for external GraphQL clients: limits, early refusal, and no internals in errors. */
import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import type { Log } from '#platform/log.ts';
import { ERROR_TABLE, fail, retryAfterSeconds } from '#kernel/errors.ts';
import { allowError, logUnexpected } from './allow-error.ts';
import type { DeniedFields } from './failures/denied-fields.ts';
import type { GatewayContext } from './apollo-gateway.ts';
import type { Gateway } from './create-gateway.ts';
import { isTooLong, limitComplexity, limitRules, parseOptions } from './limits.ts';
import { type MeteredRequest, meterOperation } from './meter-operation.ts';
import { introspect, refuseMixedIntrospection } from './public-schema.ts';
import { withStatus } from './refuse.ts';
import { refusals, type ScopeTable, scopeTable } from './refuse-early.ts';

export type GraphqlServer = InstanceType<typeof ApolloServer<EdgeContext>>;

export interface GraphqlServerOptions {
  gateway: Gateway;
  log: Log;
  introspection: boolean;
}

/**
 * Context of a request: the caller, the limits it is charged against, and results that the route reads after Apollo.
 */
export interface EdgeContext extends GatewayContext, MeteredRequest {
  /** Apollo copies the context, but keeps this object. Set if a document or its variables do not match the schema. */
  readonly outcome: {
    isDocumentInvalid: boolean;
    /** True if the request contained a document. */
    isOperation: boolean;
    denied: DeniedFields;
  };
}

/** Apollo's codes for a well-formed request with an invalid document or invalid variables. */
const INVALID_DOCUMENT = ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_USER_INPUT'];

export async function createGraphqlServer({
  gateway,
  log,
  introspection,
}: GraphqlServerOptions): Promise<GraphqlServer> {
  const scopes = scopesOf(gateway);
  const check = async (
    document: DocumentNode,
    operation: OperationDefinitionNode | undefined,
    variables: Record<string, unknown>,
    context: EdgeContext,
  ) => {
    const { principal } = context;
    if (!operation) fail('VALIDATION_ERROR', 'Name one of the operations of the document in operationName');
    if (operation.operation === 'subscription') fail('VALIDATION_ERROR', 'Subscriptions are not served: send a query');
    // API keys cannot introspect: their holders read the documentation.
    if (introspects(document)) {
      if (!introspection || principal.kind === 'api-key') fail('FORBIDDEN', 'Introspection is disabled');
      refuseMixedIntrospection(document, operation);
    }
    limitComplexity(gateway.publicSchema, document, variables, operation.name?.value);
    const denied = refusals(document, gateway.publicSchema, scopes(), principal.grants);
    const [message] = denied.values();
    if (message !== undefined) {
      if (principal.kind === 'anonymous') fail('UNAUTHORIZED', message);
      // A mutation is all or nothing: half of its changes is not what the caller asked for.
      if (operation.operation === 'mutation') fail('FORBIDDEN', message);
      context.outcome.denied = denied;
    }
    await meterOperation(document, operation, scopes(), context);
  };
  const guard: ApolloServerPlugin<EdgeContext> = {
    async requestDidStart({ contextValue: { outcome } }) {
      outcome.isOperation = true;
      return {
        async didResolveOperation({ document, operation, request, contextValue }) {
          await check(document, operation, request.variables ?? {}, contextValue).catch((error: unknown) => {
            throw withStatus(error);
          });
        },
        async responseForOperation({ document, operation, request }) {
          if (!introspects(document)) return null;
          const singleResult = introspect(gateway.publicSchema, document, operation, request.variables ?? {});
          return { http: { headers: new HeaderMap() }, body: { kind: 'single', singleResult } };
        },
        async didEncounterErrors({ errors, contextValue }) {
          for (const error of errors) logUnexpected(error, log, contextValue.principal.correlationId);
          const isInvalid = (error: GraphQLError) =>
            INVALID_DOCUMENT.includes(String(error.extensions?.['code'])) && !isTooLong(error);
          contextValue.outcome.isDocumentInvalid = errors.every(isInvalid);
        },
        // `formatError` does not know the request, so the correlation id is added here.
        async willSendResponse({ response, contextValue }) {
          if (response.body.kind !== 'single') return;
          sayUnavailable(response.http, response.body.singleResult);
          const { data } = response.body.singleResult;
          if (contextValue.outcome.denied.size > 0 && !holdsAnything(data))
            response.http.status = ERROR_TABLE.FORBIDDEN.status;
          for (const { extensions } of response.body.singleResult.errors ?? []) {
            if (extensions) extensions['correlationId'] = contextValue.principal.correlationId;
          }
        },
      };
    },
  };
  const server = new ApolloServer<EdgeContext>({
    gateway: gateway.forApolloServer,
    plugins: [guard, ApolloServerPluginLandingPageDisabled(), ApolloServerPluginInlineTraceDisabled()],
    // The guard decides, since it knows the caller.
    introspection: true,
    parseOptions,
    includeStacktraceInErrorResponses: false,
    validationRules: limitRules,
    // The last filter: `allowError` never shows unknown errors.
    formatError: (formatted, error) => {
      if (!(error instanceof GraphQLError)) log.error({ err: error }, 'Unexpected error at the gateway');
      return allowError(error instanceof GraphQLError ? error : formatted, '');
    },
    logger: {
      debug: () => {},
      info: () => {},
      warn: (message) => log.warn({ source: 'apollo' }, String(message)),
      error: (message) => log.error({ source: 'apollo' }, String(message)),
    },
    stopOnTerminationSignals: false,
    nodeEnv: 'production',
  });
  await server.start();
  return server;
}

/** Rebuilt when another supergraph is loaded. */
function scopesOf(gateway: Gateway): () => ScopeTable {
  let made = { sdl: gateway.supergraphSdl, table: scopeTable(gateway.supergraphSdl) };
  return () => {
    const { supergraphSdl: sdl } = gateway;
    if (made.sdl !== sdl) made = { sdl, table: scopeTable(sdl) };
    return made.table;
  };
}

function introspects(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Field: ({ name }) => {
      if (name.value === '__schema' || name.value === '__type') found = true;
    },
  });
  return found;
}

/**
 * Sets status 503 and the time to retry on a response without data, if something is unavailable.
 *
 * A response with any data is left unchanged: one panel fails, and the others are shown.
 */
function sayUnavailable(
  http: { status?: number; headers: HeaderMap },
  { data, errors }: { readonly data?: unknown; readonly errors?: readonly GraphQLFormattedError[] },
): void {
  const away = errors?.find(({ extensions }) => extensions?.['code'] === 'SERVICE_UNAVAILABLE');
  if (!away || holdsAnything(data)) return;
  const { details = {} } = away.extensions as { details?: Readonly<Record<string, unknown>> };
  http.status = 503;
  http.headers.set('retry-after', String(retryAfterSeconds({ code: 'SERVICE_UNAVAILABLE', details })));
}

/** An empty list counts as data; an object with only null fields does not. */
function holdsAnything(data: unknown): boolean {
  if (typeof data !== 'object' || Array.isArray(data)) return data !== undefined;
  return data !== null && Object.entries(data).some(([name, value]) => name !== '__typename' && holdsAnything(value));
}
