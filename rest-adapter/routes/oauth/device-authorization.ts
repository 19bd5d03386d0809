import type { FastifyReply, FastifyRequest } from 'fastify';
import { internalGraphql } from '#schema/graphql.ts';
import { answerOauth } from '../../oauth/answer-oauth.ts';
import type { EdgeClient } from '../../oauth/as-edge.ts';
import { readForm } from '../../oauth/read-form.ts';

export const START_DEVICE_LOGIN =
  internalGraphql(`mutation StartDeviceLogin($clientId: String, $machineName: String, $address: String!) {
  answer: startDeviceLogin(clientId: $clientId, machineName: $machineName, address: $address) {
    error error_description: errorDescription
    device_code: deviceCode user_code: userCode verification_uri: verificationUri verification_uri_complete: verificationUriComplete
    expires_in: expiresIn interval
  }
}`);

/** `POST /v1/oauth/device_authorization`: starts a device login (RFC 8628, section 3.1; decision 9, D60). */
export async function authorizeDevice(
  request: FastifyRequest,
  reply: FastifyReply,
  edge: EdgeClient,
): Promise<FastifyReply> {
  const { client_id: clientId, machine_name: machineName } = readForm(request.body);
  const { answer } = await edge(START_DEVICE_LOGIN, { clientId, machineName, address: request.ip });
  return answerOauth(reply, 200, answer);
}
