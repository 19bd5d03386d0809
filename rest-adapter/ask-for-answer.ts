/** Sends a document of a `/v1` route; the data has the contract's texts in place of enum values. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type WithTexts, withTexts } from '#schema/answer-texts.ts';
import type { GraphqlDocument } from '#schema/graphql.ts';

export async function askForAnswer<Data, Variables extends object>(
  gateway: GatewayClient,
  document: GraphqlDocument<Data, Variables>,
  variables: NoInfer<Variables>,
  principal: Principal,
): Promise<WithTexts<Data>> {
  const data: Data = await askGateway(gateway, document, variables, principal);
  return withTexts(document, data);
}
