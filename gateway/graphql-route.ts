/** `/graphql`: GraphiQL for browsers, Apollo Server for all clients, and the executor itself for our own processes. */
import { HeaderMap } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { now } from '#platform/clock.ts';
import { correlationIdOf } from '#platform/correlation-id.ts';
import type { Credential } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { jwksOf } from '#platform/transports/signed-principal.ts';
import { parseBodies } from '#platform/request-body/parse-bodies.ts';
import { readJson, VALUES_MAX } from '#platform/request-body/read-json.ts';
import { verifySignature } from '#platform/verify-signature.ts';
import { ERROR_TABLE, KnownError, fail, retryAfterSeconds } from '#kernel/errors.ts';
import { JSON_DEPTH_MAX, parseExactJson, printExactJson } from '#kernel/json/exact-json.ts';
import {
  admitCaller,
  type AdmitOptions,
  type Caller,
  internalPrincipal,
  type InternalOptions,
} from './admit-caller.ts';
import type { Gateway } from './create-gateway.ts';
import type { EdgeContext, GraphqlServer } from './graphql-server.ts';
import { refuse, refuseMethod } from './refuse.ts';
import { sendIfChanged } from './send-if-changed.ts';
import { sendPage, serveGraphiql, wantsPage } from './serve-graphiql.ts';

export interface GraphqlRouteOptions extends AdmitOptions, InternalOptions {
  gateway: Gateway;
  server: GraphqlServer;
  introspection: boolean;
}

/** A request of another process of this service may carry a batch of events that was within the edge's own limit. */
const INTERNAL_BODY_BYTES_MAX = 8 * 1024 * 1024;

/** The limit of `/v1`. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Set for requests to `/graphql`: an external caller, or the principal signed by another process of this service.
     */
    graphql: { readonly caller: Caller } | { readonly internal: Principal } | null;
  }
}

export async function graphqlRoute(app: FastifyInstance, options: GraphqlRouteOptions): Promise<void> {
  await app.register(async (plugin) => {
    plugin.decorateRequest('graphql', null);
    plugin.addHook('onRequest', async (request, reply) => {
      request.correlationId = correlationIdOf(request.headers['x-correlation-id']);
      reply.header('X-Correlation-ID', request.correlationId);
    });
    plugin.setErrorHandler((error, request, reply) => answerError(error, request, reply));
    parseBodies(plugin, '*', (request) => ({
      bytesMax: bodyBytesMax(request),
      tooLargeBecause: ', the most that this caller may send',
    }));
    serveGraphiql(plugin, options.introspection ? () => options.gateway.publicSchema : null);
    plugin.get('/graphql/jwks.json', (_request, reply) =>
      reply.header('Cache-Control', 'public, max-age=60').send(jwksOf(options.signing)),
    );
    const admit = (request: FastifyRequest, reply: FastifyReply) => admitRequest(request, reply, options);
    const admitService = async (request: FastifyRequest) => {
      const internal = await internalPrincipal(request, options);
      if (!internal?.grants.includes('sign-in'))
        fail('UNAUTHORIZED', 'Only processes of this service may use this endpoint');
      request.graphql = { internal };
    };
    plugin.get('/graphql', { onRequest: admit }, (request, reply) => answer(request, reply, options));
    plugin.post('/graphql', { onRequest: admit }, (request, reply) => answer(request, reply, options));
    plugin.route({
      method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: '/graphql',
      onRequest: (request, reply) => {
        refuseMethod(request, reply, request.correlationId);
      },
      handler: () => {},
    });
    plugin.post('/principal', { onRequest: admitService }, (request, reply) =>
      answerPrincipal(request, reply, options),
    );
  });
}

/** Runs before the body is read. */
async function admitRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  options: GraphqlRouteOptions,
): Promise<unknown> {
  if (wantsPage(request)) return sendPage(reply);
  const internal = await internalPrincipal(request, options);
  if (internal !== null) {
    request.graphql = { internal };
    return undefined;
  }
  const caller = await admitCaller(request, reply, request.correlationId, options);
  if (request.method === 'POST') requireJson(request.headers);
  request.graphql = { caller };
  return undefined;
}

function bodyBytesMax({ graphql }: FastifyRequest): number {
  if (graphql === null) return 0;
  return 'caller' in graphql ? graphql.caller.bodyBytesMax : INTERNAL_BODY_BYTES_MAX;
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  options: GraphqlRouteOptions,
): Promise<FastifyReply> {
  const { graphql } = request;
  if (graphql === null) throw new Error('Unauthenticated request reached the handler');
  if ('internal' in graphql) return answerInternal(request, reply, graphql.internal, options.gateway);
  return answerApollo(request, reply, graphql.caller, options.server);
}

async function answerApollo(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  server: GraphqlServer,
): Promise<FastifyReply> {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, String(value));
  const rawBody = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
  const context: EdgeContext = {
    principal: caller.principal,
    caller,
    signatureFailure: () =>
      verifySignature({
        timestamp: request.headers['x-timestamp'],
        signature: request.headers['x-signature'],
        rawBody,
        apiKey: caller.apiKey ?? '',
        nowSeconds: now().getTime() / 1000,
      }),
    outcome: { isDocumentInvalid: false, isOperation: false, denied: new Map() },
  };
  const answered = await server.executeHTTPGraphQLRequest({
    httpGraphQLRequest: {
      method: request.method,
      headers,
      search: searchOf(request.url),
      body: await parseBody(rawBody),
    },
    context: async () => context,
  });
  for (const [name, value] of answered.headers) reply.header(name, value);
  // GraphQL over HTTP, "application/json": a well-formed request gets 200, even for an invalid document.
  const isLegacy = answered.headers.get('content-type')?.startsWith('application/json') ?? true;
  const status = answered.status ?? 200;
  const printed = answered.body.kind === 'complete' ? answered.body.string : '';
  if (Buffer.byteLength(printed) > ANSWER_BYTES_MAX)
    fail('UNPROCESSABLE_ENTITY', 'The answer is larger than 64 MiB: request fewer fields or smaller pages');
  const text = context.outcome.isOperation ? printed : withCorrelationId(printed, request.correlationId);
  reply.code(context.outcome.isDocumentInvalid && isLegacy ? 200 : status);
  return request.method === 'GET' && status === 200 ? sendIfChanged(request, reply, text) : reply.send(text);
}

/** Query string of a URL. An empty `operationName` counts as missing (GraphQL over HTTP, "GET"), as in a body. */
function searchOf(url: string): string {
  const { search, searchParams } = new URL(url, 'http://gateway.invalid');
  if (searchParams.get('operationName') !== '') return search;
  searchParams.delete('operationName');
  return `?${searchParams.toString()}`;
}

/** Adds the correlation id, since Apollo refuses a request without an operation before any plugin runs. */
function withCorrelationId(answer: string, correlationId: string): string {
  const { errors = [], ...rest } = JSON.parse(answer) as { errors?: { extensions?: object }[] };
  const named = errors.map((error) => ({ ...error, extensions: { ...error.extensions, correlationId } }));
  return JSON.stringify({ errors: named, ...rest });
}

const JSON_RULES = { valuesMax: VALUES_MAX, depthMax: JSON_DEPTH_MAX, parse: parseExactJson };

async function parseBody(rawBody: Buffer): Promise<unknown> {
  if (rawBody.length === 0) return undefined;
  const body = await readJson(rawBody, JSON_RULES);
  const isUnnamed = typeof body === 'object' && body !== null && 'operationName' in body && body.operationName === '';
  return isUnnamed ? { ...body, operationName: null } : body;
}

/**
 * One of our own documents from another process of this service: no plugins, no limits; the signed principal
 * identifies the caller.
 */
async function answerInternal(
  request: FastifyRequest,
  reply: FastifyReply,
  principal: Principal,
  gateway: Gateway,
): Promise<FastifyReply> {
  const { query, variables } = parseExactJson(String(request.body)) as {
    query: string;
    variables: Record<string, unknown>;
  };
  return reply.type('application/json').send(printExactJson(await gateway.execute(query, variables, principal)));
}

/** Returns the principal of a credential. Only for the adapter in another process. */
async function answerPrincipal(
  request: FastifyRequest,
  reply: FastifyReply,
  { client }: GraphqlRouteOptions,
): Promise<FastifyReply> {
  const { graphql } = request;
  if (graphql === null || !('internal' in graphql)) throw new Error('Unauthenticated request reached the handler');
  const principal = await client.authenticate(
    JSON.parse(String(request.body)) as Credential,
    graphql.internal.correlationId,
  );
  return reply.type('application/json').send(JSON.stringify(principal));
}

/** Sends errors raised before Apollo: known errors with their own message; all others are logged once and masked. */
function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { correlationId } = request;
  if (error instanceof KnownError) {
    const wait = retryAfterSeconds(error);
    if (wait !== null) reply.header('Retry-After', wait);
    return refuse(request, reply, error.code, error.message, correlationId);
  }
  const { statusCode } = error as { statusCode?: number };
  if (statusCode === ERROR_TABLE.VALIDATION_ERROR.status)
    return refuse(request, reply, 'VALIDATION_ERROR', 'The request could not be read', correlationId);
  request.log.error({ err: error, correlationId }, 'Unexpected error');
  return refuse(request, reply, 'INTERNAL_SERVER_ERROR', 'Internal server error', correlationId);
}

/** Fails with `UNSUPPORTED_MEDIA_TYPE` if the content type is not JSON. */
function requireJson(headers: IncomingHttpHeaders): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') fail('UNSUPPORTED_MEDIA_TYPE', 'The request body must be sent as application/json');
}
