/** `/mcp`: admission and rate limits of messages. */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bearerTokenOf } from '#kernel/bearer-token.ts';
import { correlationIdOf } from '#platform/correlation-id.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { ownOrigins } from '#platform/own-origins.ts';
import type { Principal } from '#platform/principal.ts';
import type { RateLimiter } from '#platform/rate-limits/rate-limit.ts';
import { rateLimitHeaders } from '#platform/rate-limits/rate-limit-headers.ts';
import { parseBodies } from '#platform/request-body/parse-bodies.ts';
import { readJson } from '#platform/request-body/read-json.ts';
import { ERROR_TABLE, fail, KnownError, retryAfterSeconds } from '#kernel/errors.ts';
import { QUERY_SCOPES } from '#schema/scopes.ts';
import { knownError } from '../answer-error.ts';
import { allowAnyOrigin, answerPreflight } from '../oauth/allow-any-origin.ts';
import { whenClosed } from '../when-closed.ts';
import type { AuthInfo, McpAnswers } from './answer-messages.ts';
import type { McpDependencies } from './create-mcp-server.ts';

export interface McpOptions {
  readonly gateway: GatewayClient;
  readonly readLimiter: RateLimiter;
  readonly mcpUrl: string;
  readonly appUrl: string;
  readonly apiOrigin: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for requests to `/mcp`: the key's principal, and the data that the SDK passes to tools. */
    mcp: { readonly principal: Principal; readonly authInfo: AuthInfo } | null;
  }
}

const BODY_BYTES_MAX = 1024 * 1024;
/** First JSON-RPC code for a server's own errors. */
const RPC_SERVER_ERROR = -32_000;
const RPC_PARSE_ERROR = -32_700;
const BATCH_MAX = 100;
const MESSAGES = { valuesMax: 50_000, depthMax: 100, parse: JSON.parse as (text: string) => unknown };

export async function serveMcp(
  app: FastifyInstance,
  { gateway, readLimiter, mcpUrl, appUrl, apiOrigin }: McpOptions,
): Promise<void> {
  const origins = ownOrigins([mcpUrl, appUrl, apiOrigin]);
  /** The URL that the caller used, if it is one of our own origins (RFC 9728, section 3.3); otherwise `mcpUrl`. */
  const baseOf = ({ protocol, host }: FastifyRequest): string => {
    const origin = `${protocol}://${host}`;
    return origins.has(origin) ? origin : mcpUrl;
  };
  const metadataUrlOf = (request: FastifyRequest) => `${baseOf(request)}/.well-known/oauth-protected-resource/mcp`;
  const challengeOf = (request: FastifyRequest) =>
    `Bearer resource_metadata="${metadataUrlOf(request)}", scope="${QUERY_SCOPES.join(' ')}"`;
  const dependencies: McpDependencies = {
    gateway,
    logError: (error, correlationId) => app.log.error({ err: error, correlationId }, 'Unexpected error in an MCP tool'),
  };
  let loaded: Promise<McpAnswers> | null = null;
  const mcpAnswers = () =>
    (loaded ??= import('./answer-messages.ts').then(({ openMcpAnswers }) => openMcpAnswers(dependencies)));
  app.addHook('onClose', async () => (await loaded)?.close());

  /** Every message is charged as one read, whatever its outcome. Sends the response if the limit is exceeded. */
  const spend = async (reply: FastifyReply, principal: Principal, count: number): Promise<FastifyReply | undefined> => {
    const state = await readLimiter.take(principal.credentialId ?? '', count);
    reply.headers(rateLimitHeaders(state));
    if (state.allowed) return undefined;
    const data = {
      code: 'RATE_LIMIT_EXCEEDED',
      correlationId: principal.correlationId,
      retry_after_seconds: state.resetSeconds,
    };
    const error = { code: RPC_SERVER_ERROR, message: `Rate limit exceeded; wait ${state.resetSeconds} seconds`, data };
    return reply.code(429).send({ jsonrpc: '2.0', id: null, error });
  };

  /** Runs before the body is read. */
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const correlationId = correlationIdOf(request.headers['x-correlation-id']);
    request.correlationId = correlationId;
    reply.header('X-Correlation-ID', correlationId);
    const { origin } = request.headers;
    if (origin !== undefined && !origins.has(origin))
      return reply.code(403).send({ error: 'forbidden', error_description: 'This origin is not allowed' });
    const token = bearerTokenOf(request.headers);
    const principal =
      token === undefined
        ? null
        : await gateway.authenticate({ kind: 'bearer', token, organizationId: null }, correlationId);
    if (token === undefined || principal?.kind !== 'api-key') {
      return reply
        .code(401)
        .header('WWW-Authenticate', `${challengeOf(request)}${token === undefined ? '' : ', error="invalid_token"'}`)
        .send({
          error: 'invalid_token',
          error_description:
            token === undefined ? 'Send an API key as a bearer token' : 'The API key is invalid, revoked or expired',
        });
    }
    const authInfo = {
      token,
      clientId: principal.credentialId ?? '',
      scopes: [...principal.grants],
      resourceMetadataUrl: metadataUrlOf(request),
      extra: { principal },
    };
    request.mcp = { principal, authInfo };
    return spend(reply, principal, 1);
  };

  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.mcp === null) throw new Error('A request was not admitted');
    const { principal } = request.mcp;
    const parsedBody = await parseMessages(request.body as Buffer | undefined);
    const refused =
      Array.isArray(parsedBody) && parsedBody.length > 1
        ? await spend(reply, principal, parsedBody.length - 1)
        : undefined;
    if (refused) return refused;
    const gone = new AbortController();
    whenClosed(reply, () => gone.abort());
    const web = webRequest(request, mcpUrl, gone.signal);
    return sendWeb(reply, await (await mcpAnswers()).answer(web, request.mcp, parsedBody));
  };

  await app.register(async (plugin) => {
    plugin.decorateRequest('mcp', null);
    parseBodies(plugin, '*', () => ({ bytesMax: BODY_BYTES_MAX }));
    plugin.setErrorHandler(answerRpcError);
    plugin.post('/mcp', { onRequest: admit }, answer);
    // There are no sessions to open or end.
    plugin.route({
      method: ['GET', 'DELETE'],
      url: '/mcp',
      handler: (_request, reply) => reply.code(405).header('Allow', 'POST').send({ error: 'method_not_allowed' }),
    });
  });

  const metadataOf = (request: FastifyRequest) => ({
    resource: `${baseOf(request)}/mcp`,
    authorization_servers: [apiOrigin],
    scopes_supported: QUERY_SCOPES,
    bearer_methods_supported: ['header'],
  });
  for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
    app.get(path, { onRequest: allowAnyOrigin }, (request, reply) => reply.send(metadataOf(request)));
    answerPreflight(app, path, 'GET');
  }
}

/**
 * The messages of a body. Cancellations are dropped: one could only refer to a request of the same batch, and the SDK
 * would then wait forever for its response. Fails with `VALIDATION_ERROR` if the body is not JSON, or for a batch of
 * too many messages.
 */
async function parseMessages(body: Buffer | undefined): Promise<unknown> {
  const messages = await readJson(body ?? Buffer.alloc(0), MESSAGES);
  if (!Array.isArray(messages)) return messages;
  if (messages.length > BATCH_MAX) fail('VALIDATION_ERROR', `A batch must not contain more than ${BATCH_MAX} messages`);
  const others = messages.filter(
    (message) => (message as { method?: unknown } | null)?.method !== 'notifications/cancelled',
  );
  return others.length > 0 ? others : messages;
}

/** Sends one of our errors as JSON-RPC, with its code and the correlation id. */
function answerRpcError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { correlationId } = request;
  const known = knownError(error);
  if (!known) request.log.error({ err: error, correlationId }, 'Unexpected error');
  const { code, message, details } = known ?? new KnownError('INTERNAL_SERVER_ERROR', 'Internal server error');
  const wait = retryAfterSeconds({ code, details });
  if (wait !== null) reply.header('Retry-After', wait);
  return reply.code(ERROR_TABLE[code].status).send({
    jsonrpc: '2.0',
    id: null,
    error: {
      code: code === 'VALIDATION_ERROR' ? RPC_PARSE_ERROR : RPC_SERVER_ERROR,
      message,
      data: { code, correlationId },
    },
  });
}

function webRequest(request: FastifyRequest, mcpUrl: string, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, String(value));
  // The SDK requires clients to accept event streams too, although it responds with JSON. Accepting JSON is enough (RFC
  // 9110, 12.5.1).
  if (acceptsJson(headers.get('accept') ?? '*/*')) headers.set('accept', 'application/json, text/event-stream');
  const body = (request.body as Uint8Array<ArrayBuffer> | undefined) ?? null;
  return new Request(new URL(request.url, mcpUrl), { method: request.method, headers, body, signal });
}

function acceptsJson(accept: string): boolean {
  const types = accept
    .split(',')
    // A weight of 0 excludes a type.
    .filter((type) => !/;\s*q\s*=\s*0(?:\.0*)?\s*$/i.test(type))
    .map((type) => type.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  return types.some((type) => ['application/json', 'application/*', '*/*'].includes(type));
}

/** Streams events as they arrive, and stops when the client disconnects. */
async function sendWeb(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  for (const [name, value] of response.headers) reply.header(name, value);
  reply.code(response.status);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (isStream && response.body) return reply.send(Readable.fromWeb(response.body as ReadableStream));
  return reply.send(Buffer.from(await response.arrayBuffer()));
}
