/** Serves a subgraph as its own process: graphql-yoga over HTTP, for the gateway only. */
import type { FastifyInstance } from 'fastify';
import { GraphQLError } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { parseExactJson } from '#kernel/json/exact-json.ts';
import { type PublicKeys, verifyPrincipal } from '../transports/signed-principal.ts';
import type { SubgraphContext } from './context.ts';
import { maskError } from './mask-error.ts';
import type { Subgraph } from './subgraph.ts';

/** Serves `/graphql` for requests with a principal signed by the gateway; others are refused. */
export async function subgraphRoute(app: FastifyInstance, subgraph: Subgraph, keys: PublicKeys): Promise<void> {
  const yoga = createYoga<object, SubgraphContext>({
    schema: subgraph.schema,
    graphiql: false,
    landingPage: false,
    logging: false,
    multipart: false,
    maskedErrors: false,
    context: async ({ request }): Promise<SubgraphContext> => {
      const principal = await verifyPrincipal(request.headers.get('x-principal') ?? '', [subgraph.name], keys);
      if (principal === null) {
        throw new GraphQLError('A subgraph accepts requests only from its gateway', {
          extensions: { code: 'UNAUTHORIZED', http: { status: 401 } },
        });
      }
      return { principal, database: subgraph.database, log: subgraph.log };
    },
    plugins: [exactBodies, maskErrors],
  });
  await app.register(async (plugin) => {
    plugin.removeAllContentTypeParsers();
    // The body is left to yoga.
    plugin.addContentTypeParser('*', (_request, _body, done) => done(null));
    plugin.route({
      method: ['GET', 'POST'],
      url: '/graphql',
      handler: async ({ raw: request }, reply) => {
        reply.hijack();
        await yoga(request, reply.raw);
      },
    });
  });
}

/** Usage events pass through here, so numbers must not be converted to doubles. */
const exactBodies: Plugin = {
  onRequestParse: ({ setRequestParser }) =>
    setRequestParser(async (request) => parseExactJson(await request.text()) as GraphQLParams),
};

const maskErrors: Plugin<SubgraphContext> = {
  onExecute: ({ args }) => ({
    onExecuteDone: ({ result, setResult }) => {
      if (!('errors' in result) || !result.errors) return;
      setResult({
        ...result,
        errors: (result.errors as readonly GraphQLError[]).map((error) => masked(error, args.contextValue)),
      });
    },
  }),
};

function masked(error: GraphQLError, context: SubgraphContext): GraphQLError {
  const { message, path, extensions } = maskError(error, context);
  return new GraphQLError(message, { ...(path ? { path } : {}), ...(extensions ? { extensions } : {}) });
}
