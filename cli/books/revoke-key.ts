/** Revokes a key at the service (RFC 7009). */
import type { Login } from './saved-login.ts';
import { send } from './send.ts';

/** Returns null if the key is no longer valid, otherwise the reason why its state is unknown. */
export async function revokeKey({ api, key }: Login): Promise<string | null> {
  try {
    const { status } = await send<unknown>(`${api}/v1/oauth/revoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    });
    return status === 200 ? null : `the service answered ${status}`;
  } catch (error) {
    return (error as Error).message;
  }
}
