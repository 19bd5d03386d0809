import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { graphql } from '#schema/graphql.ts';
import { askForAnswer } from '../../../ask-for-answer.ts';

export const ROTATE_API_KEY = graphql(`mutation RotateApiKey($id: ID!) {
  apiKeyRotate(input: { id: $id }) {
    rotatedApiKey { apiKey keyInfo { id: apiKeyId name scopes environment createdAt createdBy } warning }
    userErrors { message code }
  }
}`);

/** `POST /v1/api-keys/{id}/rotate`: the contract's only response in camelCase ("Rotated API key result"). */
export async function rotateApiKey(gateway: GatewayClient, id: string, principal: Principal): Promise<unknown> {
  return (await askForAnswer(gateway, ROTATE_API_KEY, { id }, principal)).apiKeyRotate?.rotatedApiKey;
}
