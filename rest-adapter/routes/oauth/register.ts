import type { FastifyReply, FastifyRequest } from 'fastify';
import { readJson } from '#platform/request-body/read-json.ts';
import { KnownError } from '#kernel/errors.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { answerOauth } from '../../oauth/answer-oauth.ts';
import type { EdgeClient } from '../../oauth/as-edge.ts';
import { OauthError } from '../../oauth/oauth-error.ts';

export const REGISTER_CLIENT = internalGraphql(`mutation RegisterOauthClient($metadata: JSON!, $address: String!) {
  answer: registerOauthClient(metadata: $metadata, address: $address) {
    error error_description: errorDescription
    client_id: clientId client_id_issued_at: clientIdIssuedAt client_name: clientName redirect_uris: redirectUris
    grant_types: grantTypes response_types: responseTypes token_endpoint_auth_method: tokenEndpointAuthMethod
  }
}`);

/** Fields that registration reads (RFC 7591, section 2); the rest of the untrusted document is dropped. */
const LOOKED_AT = ['client_name', 'redirect_uris', 'grant_types', 'response_types'] as const;

const RULES = { valuesMax: 1_000, depthMax: 16, parse: JSON.parse as (text: string) => unknown };

/** `POST /v1/oauth/register`: registers a public client (RFC 7591, section 3). */
export async function registerClient(
  request: FastifyRequest,
  reply: FastifyReply,
  edge: EdgeClient,
): Promise<FastifyReply> {
  const { answer } = await edge(REGISTER_CLIENT, { metadata: await readMetadata(request.body), address: request.ip });
  return answerOauth(reply, 201, answer);
}

async function readMetadata(body: unknown): Promise<Record<string, unknown>> {
  const sent = await parse(body);
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new OauthError('invalid_client_metadata', 'The body must be a JSON object');
  // A null member counts as omitted (RFC 7591, section 2).
  return Object.fromEntries(
    LOOKED_AT.map((name) => [name, (sent as Record<string, unknown>)[name]] as const).filter(
      ([name, value]) => Object.hasOwn(sent, name) && value !== null,
    ),
  );
}

async function parse(body: unknown): Promise<unknown> {
  try {
    return await readJson(Buffer.isBuffer(body) ? body : Buffer.alloc(0), RULES);
  } catch (error) {
    if (error instanceof KnownError) throw new OauthError('invalid_client_metadata', error.message);
    throw error;
  }
}
