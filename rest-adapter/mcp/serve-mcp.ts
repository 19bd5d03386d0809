/** `/mcp`: a fresh server for each request, JSON answers, the current revision of the protocol and the ones of 2025. */
import { createMcpHandler, isLegacyRequest, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { correlationIdOf } from '../../platform/correlation-id.ts';
import type { Principal } from '../../platform/principal.ts';
import { QUERY_SCOPES } from '../../schema/scopes.ts';
import { allowAnyOrigin, answerPreflight } from '../oauth/allow-any-origin.ts';
import { answerOauthError } from '../oauth/oauth-error.ts';
import { createMcpServer, type McpSurroundings } from './create-mcp-server.ts';
import { ownOrigins } from './own-origins.ts';

export interface McpOptions extends Omit<McpSurroundings, 'logFault'> {
  readonly mcpUrl: string;
  readonly appUrl: string;
  readonly apiOrigin: string;
}

const BEARER = /^Bearer +([^\s]+)$/i;
const BODY_BYTES_MAX = 1024 * 1024;

export async function serveMcp(app: FastifyInstance, { gateway, readLimiter, mcpUrl, appUrl, apiOrigin }: McpOptions): Promise<void> {
  const resourceMetadataUrl = `${mcpUrl}/.well-known/oauth-protected-resource/mcp`;
  const challenge = `Bearer resource_metadata="${resourceMetadataUrl}", scope="${QUERY_SCOPES.join(' ')}"`;
  const origins = ownOrigins([mcpUrl, appUrl, apiOrigin]);
  const surroundings: McpSurroundings = {
    gateway, readLimiter, logFault: (error, correlationId) => app.log.error({ err: error, correlationId }, 'Unexpected error in an MCP tool'),
  };
  const modern = createMcpHandler(({ authInfo }) => createMcpServer(authInfo?.extra?.['principal'] as Principal, surroundings), {
    legacy: 'reject',
  });
  app.addHook('onClose', () => modern.close());

  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const correlationId = correlationIdOf(request.headers['x-correlation-id']);
    request.correlationId = correlationId;
    reply.header('X-Correlation-ID', correlationId);
    const { origin } = request.headers;
    if (origin !== undefined && !origins.has(origin)) return reply.code(403).send({ error: 'forbidden', error_description: 'This origin may not call here' });
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
    const principal = token === undefined ? null : await gateway.authenticate({ kind: 'bearer', token, organizationId: null }, correlationId);
    if (token === undefined || principal?.kind !== 'api-key') {
      return reply.code(401).header('WWW-Authenticate', token === undefined ? challenge : `${challenge}, error="invalid_token"`)
        .send({ error: 'invalid_token', error_description: 'Send an API key as a bearer token' });
    }
    const authInfo = { token, clientId: principal.credentialId ?? '', scopes: [...principal.grants], resourceMetadataUrl, extra: { principal } };
    const web = webRequest(request, mcpUrl);
    if (!await isLegacyRequest(web)) return sendWeb(reply, await modern.fetch(web, { authInfo }));
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = createMcpServer(principal, surroundings);
    await server.connect(transport);
    try {
      return await sendWeb(reply, await transport.handleRequest(web, { authInfo }));
    } finally {
      await server.close();
    }
  };

  await app.register(async (plugin) => {
    plugin.removeAllContentTypeParsers();
    plugin.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX }, (_request, body, done) => done(null, body));
    plugin.setErrorHandler(answerOauthError);
    plugin.post('/mcp', answer);
    // Nothing is streamed and no session is kept: there is nothing to open or to end.
    plugin.route({ method: ['GET', 'DELETE'], url: '/mcp', handler: (_request, reply) => reply.code(405).header('Allow', 'POST').send({ error: 'method_not_allowed' }) });
  });

  const metadata = { resource: `${mcpUrl}/mcp`, authorization_servers: [apiOrigin], scopes_supported: QUERY_SCOPES, bearer_methods_supported: ['header'] };
  for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
    app.get(path, { onRequest: allowAnyOrigin }, (_request, reply) => reply.send(metadata));
    answerPreflight(app, path, 'GET');
  }
}

function webRequest(request: FastifyRequest, mcpUrl: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) if (value !== undefined) headers.set(name, String(value));
  return new Request(new URL(request.url, mcpUrl), { method: request.method, headers, body: (request.body as Uint8Array<ArrayBuffer> | undefined) ?? null });
}

async function sendWeb(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  for (const [name, value] of response.headers) reply.header(name, value);
  return reply.code(response.status).send(Buffer.from(await response.arrayBuffer()));
}
