/** Sends one document and gives back its data, or fails with the first error that the gateway let through. */
import { isErrorCode, KnownError } from '../schema/errors.ts';
import type { GraphqlDocument } from '../schema/graphql.ts';
import type { GatewayClient } from './gateway-client.ts';
import type { Principal } from './principal.ts';

export async function askGateway<Data, Variables extends object>(
  gateway: GatewayClient,
  document: GraphqlDocument<Data, Variables>,
  variables: NoInfer<Variables>,
  principal: Principal,
): Promise<Data> {
  const { data, errors } = await gateway.execute(document, variables, principal);
  const error = errors?.[0];
  if (error) {
    const code = error.extensions?.['code'];
    const details = error.extensions?.['details'];
    throw new KnownError(
      isErrorCode(code) ? code : 'INTERNAL_SERVER_ERROR',
      error.message,
      typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : {},
    );
  }
  return data ?? ({} as Data);
}
