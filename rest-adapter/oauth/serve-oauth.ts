/**
 * The four OAuth endpoints below `/v1`: forms and JSON from unauthenticated clients, never cached, readable from any
 * origin.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { parseBodies } from '#platform/request-body/parse-bodies.ts';
import { answerError } from '../answer-error.ts';
import { authorizeDevice } from '../routes/oauth/device-authorization.ts';
import { registerClient } from '../routes/oauth/register.ts';
import { revoke } from '../routes/oauth/revoke.ts';
import { issueToken } from '../routes/oauth/token.ts';
import { allowAnyOrigin, answerPreflight } from './allow-any-origin.ts';
import { asEdge, type EdgeClient } from './as-edge.ts';
import { answerOauthError } from './oauth-error.ts';

/** Room for ten redirect URIs of maximum length. */
const BODY_BYTES_MAX = 64 * 1024;

interface Endpoint {
  readonly path: string;
  /** Accepted content type; with `*`, a body of another type is not read. */
  readonly type: string;
  readonly answerError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  readonly answer: (request: FastifyRequest, reply: FastifyReply, edge: EdgeClient) => Promise<FastifyReply>;
}

const FORM = 'application/x-www-form-urlencoded';

const ENDPOINTS: readonly Endpoint[] = [
  { path: '/oauth/token', type: FORM, answerError: answerOauthError, answer: issueToken },
  { path: '/oauth/device_authorization', type: FORM, answerError: answerOauthError, answer: authorizeDevice },
  { path: '/oauth/register', type: 'application/json', answerError: answerOauthError, answer: registerClient },
  { path: '/oauth/revoke', type: '*', answerError, answer: revoke },
];

export async function serveOauth(app: FastifyInstance, gateway: GatewayClient): Promise<void> {
  for (const endpoint of ENDPOINTS) {
    // One plugin per endpoint, so that each has its own parser and error shape.
    await app.register(async (plugin) => {
      parseBodies(plugin, endpoint.type, () => ({ bytesMax: BODY_BYTES_MAX }));
      plugin.addHook('onRequest', allowAnyOrigin);
      plugin.addHook('onRequest', neverCache);
      plugin.setErrorHandler(endpoint.answerError);
      plugin.post(endpoint.path, (request, reply) => endpoint.answer(request, reply, asEdge(gateway, request)));
    });
    answerPreflight(app, endpoint.path, 'POST');
  }
}

/** RFC 6749, section 5.1. */
function neverCache(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
  done();
}
