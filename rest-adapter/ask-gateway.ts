/** Sends one document and gives back its data, or fails with the first error that the gateway let through. */
import { isErrorCode, KnownError } from '../schema/errors.ts';
import type { GatewayClient } from '../platform/gateway-client.ts';
import type { Principal } from '../platform/principal.ts';

export async function askGateway(
  gateway: GatewayClient,
  document: string,
  variables: Record<string, unknown>,
  principal: Principal,
): Promise<Record<string, unknown>> {
  const { data, errors } = await gateway.execute<Record<string, unknown>>(document, variables, principal);
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
  return data ?? {};
}

/** The value at a path of field names. */
export function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], data);
}
