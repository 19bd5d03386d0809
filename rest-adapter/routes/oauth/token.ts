import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '#kernel/errors.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { answerOauth } from '../../oauth/answer-oauth.ts';
import type { EdgeClient } from '../../oauth/as-edge.ts';
import { OauthError } from '../../oauth/oauth-error.ts';
import { type Form, readForm } from '../../oauth/read-form.ts';

const TOKEN =
  'error error_description: errorDescription access_token: accessToken token_type: tokenType expires_in: expiresIn scope';

export const EXCHANGE_CODE =
  internalGraphql(`mutation ExchangeOauthCode($clientId: String, $code: String, $redirectUri: String, $codeVerifier: String, $resource: String) {
  answer: exchangeOauthCode(clientId: $clientId, code: $code, redirectUri: $redirectUri, codeVerifier: $codeVerifier, resource: $resource) { ${TOKEN} }
}`);

const POLL_DEVICE_LOGIN = internalGraphql(`mutation PollDeviceLogin($clientId: String, $deviceCode: String) {
  answer: pollDeviceLogin(clientId: $clientId, deviceCode: $deviceCode) { ${TOKEN} }
}`);

/**
 * `POST /v1/oauth/token`: exchanges a code or a device code for an API key (RFC 6749, section 4.1.3; RFC 8628, section
 * 3.4).
 */
export async function issueToken(
  request: FastifyRequest,
  reply: FastifyReply,
  edge: EdgeClient,
): Promise<FastifyReply> {
  const { answer } = await redeem(readForm(request.body), edge);
  return answerOauth(reply, 200, answer);
}

function redeem(form: Form, edge: EdgeClient): Promise<Record<string, unknown>> {
  const clientId = form['client_id'];
  switch (form['grant_type']) {
    case undefined:
      return fail('VALIDATION_ERROR', 'grant_type is required');
    case 'authorization_code':
      return edge(EXCHANGE_CODE, {
        clientId,
        code: form['code'],
        redirectUri: form['redirect_uri'],
        codeVerifier: form['code_verifier'],
        resource: form['resource'],
      });
    case 'urn:ietf:params:oauth:grant-type:device_code':
      return edge(POLL_DEVICE_LOGIN, { clientId, deviceCode: form['device_code'] });
    default:
      throw new OauthError(
        'unsupported_grant_type',
        'grant_type must be authorization_code or urn:ietf:params:oauth:grant-type:device_code',
      );
  }
}
