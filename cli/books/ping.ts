/** Identity and permissions of a key (contract.md, "Ping result"). */
import { readApi } from './read-api.ts';
import type { Login } from './saved-login.ts';
import type { Reply } from './send.ts';

export interface Ping {
  readonly organization_id: string;
  readonly environment: string;
  readonly key_name: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
}

export function ping(login: Login): Promise<Reply<Ping>> {
  return readApi<Ping>('/ping', {}, login);
}
