/** Every new API key is made here: a row, and a secret that leaves once. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { randomInt, randomUuid } from '../../../platform/random.ts';
import type { Sealing } from '../../../platform/seal.ts';
import { fail } from '../../../schema/errors.ts';
import type { Scope } from '../../../schema/scopes.ts';
import { hashApiKey, makeApiKey } from './api-key-format.ts';
import { API_KEY_SEAL } from '../secrets/secret-purposes.ts';
import { type ApiKey, ApiKeyTable } from './api-key.table.ts';
import { holdEnabled, type Role } from '../accounts/account-user.table.ts';

export interface ApiKeyWish {
  readonly organizationId: string;
  readonly accountUserId: string;
  /** The account user who makes it. */
  readonly createdBy: string;
  readonly name: string;
  readonly description: string | null;
  readonly environment: 'live' | 'test';
  readonly scopes: readonly Scope[];
  /** Default false. */
  readonly mayWriteUnsigned?: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** The OAuth client that obtains it. */
  readonly client?: { readonly id: string; readonly name: string };
}

/** Who may issue keys in other people's names. Both accounts are held, so that neither is disabled or demoted in the same moment. */
const ISSUERS: readonly (Role | null)[] = ['owner', 'admin'];

/** Fails with `FORBIDDEN` for an account user who is disabled, and for an issuer who may not issue it now. Of a live key nothing but `secret` is ever able to give it back; a test key is also kept sealed. */
export async function issueApiKey(
  em: EntityManager,
  { client, ...wish }: ApiKeyWish,
  sealing: Sealing,
): Promise<{ secret: string; apiKey: ApiKey }> {
  const { organizationId, accountUserId, createdBy } = wish;
  if ((await holdEnabled(em, organizationId, accountUserId)) === null)
    fail('FORBIDDEN', 'The account user is disabled or removed');
  if (createdBy !== accountUserId && !ISSUERS.includes(await holdEnabled(em, organizationId, createdBy)))
    fail('FORBIDDEN', "Only an owner or an admin may create an API key in another person's name");
  const id = randomUuid();
  const secret = makeApiKey(wish.environment, randomInt);
  const sealed = wish.environment === 'test' ? sealing.seal(secret, API_KEY_SEAL, id) : null;
  const row = {
    ...wish,
    id,
    hash: hashApiKey(secret),
    sealed,
    scopes: [...wish.scopes],
    mayWriteUnsigned: wish.mayWriteUnsigned ?? false,
    clientId: client?.id ?? null,
    clientName: client?.name ?? null,
    revokedAt: null,
    lastUsedAt: null,
  };
  await em.insert(ApiKeyTable, row);
  return { secret, apiKey: row as unknown as ApiKey };
}
