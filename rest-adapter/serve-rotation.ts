/** The endpoint that a signed-in person's browser calls: a session's cookie opens it, an API key never does. */
import type { FastifyInstance } from 'fastify';
import type { GatewayClient } from '../platform/gateway-client.ts';
import { isSameOrigin } from '../platform/same-origin.ts';
import { sessionTokenOf } from '../platform/session-cookie.ts';
import { fail } from '../schema/errors.ts';
import { rotateApiKey } from './routes/api-keys/id/rotate.ts';

const BODY_BYTES_MAX = 1024;

/** `appUrl` and `apiOrigin` are where people reach our pages. */
export async function serveRotation(app: FastifyInstance, gateway: GatewayClient, { appUrl, apiOrigin }: { appUrl: string; apiOrigin: string }): Promise<void> {
  const origins = [appUrl, apiOrigin].map((url) => new URL(url).origin);
  const hasSecureCookies = appUrl.startsWith('https://');
  await app.register(async (plugin) => {
    // A body says nothing here, whatever its type.
    plugin.removeAllContentTypeParsers();
    plugin.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX }, (_request, body, done) => done(null, body));
    plugin.post<{ Params: { id: string } }>('/api-keys/:id/rotate', async (request, reply) => {
      const { headers } = request;
      const token = sessionTokenOf(headers.cookie, hasSecureCookies);
      const principal = token === null ? null : await gateway.authenticate({ kind: 'session', token }, request.correlationId);
      if (principal?.kind !== 'session') fail('UNAUTHORIZED', 'Sign in to the dashboard: an API key cannot rotate keys');
      // The cookie alone does not tell whose page sent it: the browser's word for it, or a header that no foreign page can send.
      // There is no form token here, so an opaque origin is never one of ours.
      const isProven = headers.origin !== 'null' && (headers.origin !== undefined || headers['x-requested-with'] !== undefined);
      if (!isProven || !isSameOrigin(headers, origins)) fail('FORBIDDEN', 'Send this from a page of ours, or with the header X-Requested-With');
      return reply.header('Cache-Control', 'no-store').send(await rotateApiKey(gateway, request.params.id, principal));
    });
  });
}
