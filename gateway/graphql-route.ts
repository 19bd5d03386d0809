/** `/graphql`: GraphiQL for a browser, Apollo Server for everybody, the executor itself for our own processes. */
import { type ApolloServer, HeaderMap } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Credential, GatewayClient } from '../platform/gateway-client.ts';
import { anonymous, openPrincipal, type Principal } from '../platform/principal.ts';
import type { RateLimiter } from '../platform/rate-limit.ts';
import { rateLimitHeaders } from '../platform/rate-limit-headers.ts';
import { correlationIdOf } from '../platform/correlation-id.ts';
import { parseExactJson, printExactJson } from '../schema/exact-json.ts';
import { ERROR_TABLE, type ErrorCode } from '../schema/errors.ts';
import { answerGraphqlError } from './answer-graphql-error.ts';
import type { Gateway, GatewayContext } from './create-gateway.ts';
import { graphiqlPage } from './graphiql-page.ts';
import { presentedCredential } from './presented-credential.ts';

export interface GraphqlRouteOptions {
  gateway: Gateway;
  client: GatewayClient;
  server: ApolloServer<GatewayContext>;
  readLimiter: RateLimiter;
  serviceSecret: string;
  production: boolean;
}

const BODY_BYTES_MAX = 8 * 1024 * 1024;

export async function graphqlRoute(app: FastifyInstance, options: GraphqlRouteOptions): Promise<void> {
  await app.register(async (plugin) => {
    plugin.removeAllContentTypeParsers();
    plugin.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_BYTES_MAX }, (_request, body, done) => done(null, body));
    plugin.setErrorHandler(answerGraphqlError);
    plugin.route({ method: ['GET', 'POST'], url: '/graphql', handler: (request, reply) => answer(request, reply, options) });
    plugin.post('/principal', (request, reply) => answerPrincipal(request, reply, options));
  });
}

async function answer(request: FastifyRequest, reply: FastifyReply, options: GraphqlRouteOptions): Promise<FastifyReply> {
  const seal = request.headers['x-principal'];
  if (typeof seal === 'string') return answerOurs(request, reply, seal, options);
  if (request.method === 'GET' && request.headers.accept?.includes('text/html')) return reply.type('text/html; charset=utf-8').send(await graphiqlPage());
  const correlationId = correlationIdOf(request.headers['x-correlation-id']);
  reply.header('X-Correlation-ID', correlationId);
  const principal = await whoAsks(request, correlationId, options.client);
  if (principal === null) return refuse(reply, 'UNAUTHORIZED', 'The credential is invalid, revoked or expired', correlationId);
  // An operator who names an organization must never act on everybody by a slip of the pen.
  if (principal.kind === 'operator' && principal.organizationId === null && request.headers['x-organization-id'] !== undefined) {
    return refuse(reply, 'NOT_FOUND', `There is no organization ${String(request.headers['x-organization-id'])}`, correlationId);
  }
  if (principal.kind === 'api-key') {
    const state = await options.readLimiter.take(principal.credentialId ?? '');
    reply.headers(rateLimitHeaders(state));
    if (!state.allowed) return refuse(reply, 'RATE_LIMIT_EXCEEDED', `Rate limit exceeded: ${state.limit} requests in ${state.windowSeconds} seconds`, correlationId);
  }
  return answerApollo(request, reply, principal, options.server);
}

/** `null` when a credential was presented that opens nothing. */
async function whoAsks(request: FastifyRequest, correlationId: string, client: GatewayClient): Promise<Principal | null> {
  const credential = presentedCredential(request.headers);
  return credential === null ? anonymous(correlationId) : client.authenticate(credential, correlationId);
}

async function answerApollo(request: FastifyRequest, reply: FastifyReply, principal: Principal, server: ApolloServer<GatewayContext>): Promise<FastifyReply> {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) if (value !== undefined) headers.set(name, String(value));
  let body: unknown;
  try {
    body = typeof request.body === 'string' && request.body !== '' ? parseExactJson(request.body) : undefined;
  } catch {
    return refuse(reply, 'VALIDATION_ERROR', 'The request body is not valid JSON', principal.correlationId);
  }
  const answered = await server.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method: request.method, headers, search: new URL(request.url, 'http://gateway.invalid').search, body },
    context: async () => ({ principal }),
  });
  for (const [name, value] of answered.headers) reply.header(name, value);
  reply.code(answered.status ?? 200);
  return answered.body.kind === 'complete' ? reply.send(answered.body.string) : reply.send('');
}

/** A document of our own from another process of ours: no plugin, no limits, the seal says who asks. */
async function answerOurs(request: FastifyRequest, reply: FastifyReply, seal: string, { gateway, serviceSecret }: GraphqlRouteOptions): Promise<FastifyReply> {
  const principal = openPrincipal(seal, serviceSecret);
  if (principal === null) return refuse(reply, 'UNAUTHORIZED', 'The seal of the principal is not valid', '');
  const { query, variables } = parseExactJson(String(request.body)) as { query: string; variables: Record<string, unknown> };
  return reply.type('application/json').send(printExactJson(await gateway.execute(query, variables, principal)));
}

/** Whose credential is this? Only for the adapter in another process. */
async function answerPrincipal(request: FastifyRequest, reply: FastifyReply, { client, serviceSecret }: GraphqlRouteOptions): Promise<FastifyReply> {
  const asking = openPrincipal(String(request.headers['x-principal'] ?? ''), serviceSecret);
  if (asking?.kind !== 'service') return refuse(reply, 'UNAUTHORIZED', 'Only services ask here', '');
  const principal = await client.authenticate(JSON.parse(String(request.body)) as Credential, asking.correlationId);
  return reply.type('application/json').send(JSON.stringify(principal));
}

function refuse(reply: FastifyReply, code: ErrorCode, message: string, correlationId: string): FastifyReply {
  return reply.code(ERROR_TABLE[code].status).type('application/json').send(JSON.stringify({ errors: [{ message, extensions: { code, correlationId } }] }));
}
