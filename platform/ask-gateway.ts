/**
 * Sends one document and returns its data. Fails with the first error of the response, or the first user error of a
 * mutation.
 */
import { isErrorCode, KnownError } from '#kernel/errors.ts';
import type { GraphqlDocument } from '#schema/graphql.ts';
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
  const userError = firstUserError(data);
  if (userError)
    throw new KnownError(isErrorCode(userError.code) ? userError.code : 'VALIDATION_ERROR', userError.message);
  return data ?? ({} as Data);
}

interface UserError {
  readonly message: string;
  readonly code?: string;
}

/** User errors of the mutations in a response, in order; `code` is present if the document selects it. */
export function firstUserError(data: unknown): UserError | undefined {
  const payloads = (data ?? {}) as Readonly<Record<string, { readonly userErrors?: readonly UserError[] } | null>>;
  for (const name in payloads) {
    const first = payloads[name]?.userErrors?.[0];
    if (first) return first;
  }
  return undefined;
}
