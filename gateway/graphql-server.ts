/** Apollo Server for other people's GraphQL: limits, early refusal, and nothing of ours in an error. */
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { type DocumentNode, GraphQLError, visit } from 'graphql';
import type { Log } from '../platform/log.ts';
import type { Principal } from '../platform/principal.ts';
import { allowError } from './allow-error.ts';
import type { Gateway, GatewayContext } from './create-gateway.ts';
import { limitComplexity, limitRules } from './limits.ts';
import { refusal, scopeTable } from './refuse-early.ts';
import { sayUnavailable } from './say-unavailable.ts';

export interface GraphqlServerOptions {
  gateway: Gateway;
  log: Log;
  production: boolean;
}

export async function createGraphqlServer({ gateway, log, production }: GraphqlServerOptions): Promise<ApolloServer<GatewayContext>> {
  const scopes = scopeTable(gateway.supergraphSdl);
  const guard: ApolloServerPlugin<GatewayContext> = {
    async requestDidStart() {
      return {
        async didResolveOperation({ document, request, contextValue, operationName }) {
          if (introspects(document) && !mayIntrospect(contextValue.principal, production)) {
            throw new GraphQLError('Introspection is off here', { extensions: { code: 'FORBIDDEN' } });
          }
          limitComplexity(gateway.apiSchema, document, request.variables ?? {}, operationName ?? undefined);
          const message = refusal(document, gateway.apiSchema, scopes, contextValue.principal.grants);
          if (message === null) return;
          const code = contextValue.principal.kind === 'anonymous' ? 'UNAUTHORIZED' : 'FORBIDDEN';
          throw new GraphQLError(message, { extensions: { code } });
        },
        // Where errors are formatted nobody knows yet whose request it is.
        async willSendResponse({ response, contextValue }) {
          if (response.body.kind !== 'single') return;
          sayUnavailable(response.http, response.body.singleResult);
          for (const { extensions } of response.body.singleResult.errors ?? []) {
            if (extensions) extensions['correlationId'] = contextValue.principal.correlationId;
          }
        },
      };
    },
  };
  const server = new ApolloServer<GatewayContext>({
    gateway: gateway.forApolloServer,
    plugins: [guard],
    introspection: !production,
    includeStacktraceInErrorResponses: false,
    validationRules: limitRules,
    // The last door: `allowError` never shows what it does not know.
    formatError: (formatted, error) => {
      if (!(error instanceof GraphQLError)) log.error({ err: error }, 'Unexpected error at the gateway');
      return allowError(error instanceof GraphQLError ? error : formatted, log, '');
    },
    logger: { debug: () => {}, info: () => {}, warn: (message) => log.warn({ source: 'apollo' }, String(message)), error: (message) => log.error({ source: 'apollo' }, String(message)) },
    stopOnTerminationSignals: false,
    nodeEnv: production ? 'production' : 'development',
  });
  await server.start();
  return server;
}

/** API keys never introspect: their holders read the documentation. */
function mayIntrospect(principal: Principal, production: boolean): boolean {
  return !production && principal.kind !== 'api-key';
}

function introspects(document: DocumentNode): boolean {
  let found = false;
  visit(document, { Field: ({ name }) => { if (name.value === '__schema' || name.value === '__type') found = true; } });
  return found;
}
