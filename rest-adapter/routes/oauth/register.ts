import type { FastifyReply, FastifyRequest } from 'fastify';
import { graphql } from '../../../schema/graphql.ts';
import { answerOauth } from '../../oauth/answer-oauth.ts';
import type { EdgeClient } from '../../oauth/as-edge.ts';
import { OauthError } from '../../oauth/oauth-error.ts';

export const REGISTER_CLIENT = graphql(`mutation RegisterOauthClient($metadata: JSON!, $address: String!) {
  answer: registerOauthClient(metadata: $metadata, address: $address) {
    error error_description: errorDescription
    client_id: clientId client_id_issued_at: clientIdIssuedAt client_name: clientName redirect_uris: redirectUris
    grant_types: grantTypes response_types: responseTypes token_endpoint_auth_method: tokenEndpointAuthMethod
  }
}`);

/** What registration looks at (RFC 7591, section 2); the rest of a stranger's document goes no further. */
const LOOKED_AT = ['client_name', 'redirect_uris', 'grant_types', 'response_types'] as const;

/** `POST /v1/oauth/register`: registers a public client (RFC 7591, section 3). */
export async function registerClient(
  request: FastifyRequest,
  reply: FastifyReply,
  edge: EdgeClient,
): Promise<FastifyReply> {
  const { answer } = await edge(REGISTER_CLIENT, { metadata: readMetadata(request.body), address: request.ip });
  return answerOauth(reply, 201, answer);
}

function readMetadata(body: unknown): Record<string, unknown> {
  const sent = parse(body);
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new OauthError('invalid_client_metadata', 'The body must be a JSON object');
  return Object.fromEntries(
    LOOKED_AT.filter((name) => Object.hasOwn(sent, name)).map((name) => [
      name,
      (sent as Record<string, unknown>)[name],
    ]),
  );
}

function parse(body: unknown): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    throw new OauthError('invalid_client_metadata', 'The body is not valid JSON');
  }
}
