import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerTokenOf } from '#kernel/bearer-token.ts';
import { fail } from '#kernel/errors.ts';
import { internalGraphql } from '#schema/graphql.ts';
import type { EdgeClient } from '../../oauth/as-edge.ts';
import { readForm } from '../../oauth/read-form.ts';

const DOCUMENT = internalGraphql('mutation RevokeToken($token: String!) { revokeToken(token: $token) }');

const FORM = /^application\/x-www-form-urlencoded *(;|$)/i;

/**
 * `POST /v1/oauth/revoke`: revokes the presented key; 200 for any token, 401 for a missing one (RFC 7009; decision 9,
 * D55).
 */
export async function revoke(request: FastifyRequest, reply: FastifyReply, edge: EdgeClient): Promise<FastifyReply> {
  const token = bearerTokenOf(request.headers) ?? tokenOfForm(request);
  if (token === undefined)
    return fail('UNAUTHORIZED', 'Send the token as "Authorization: Bearer <TOKEN>" or as the form field "token"');
  await edge(DOCUMENT, { token });
  return reply.send({});
}

function tokenOfForm({ headers, body }: FastifyRequest): string | undefined {
  return FORM.test(headers['content-type'] ?? '') ? readForm(body)['token'] : undefined;
}
