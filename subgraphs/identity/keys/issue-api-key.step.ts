/** Creates every new API key: a row, and a secret that is returned once. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { randomInt, randomUuid } from '#platform/random.ts';
import type { Sealing } from '#platform/seal.ts';
import { fail } from '#kernel/errors.ts';
import type { Scope } from '#schema/scopes.ts';
import { hashApiKey, makeApiKey } from './api-key-format.ts';
import { API_KEY_SEAL } from '../secrets/secret-purposes.ts';
import { type ApiKey, ApiKeyTable } from './api-key.table.ts';
import { holdEnabled } from '../accounts/account-user.table.ts';
import { mayHoldKeys, type Role } from '../accounts/role.ts';

export interface CreateApiKeyParams {
  readonly organizationId: OrganizationId;
  readonly accountUserId: AccountUserId;
  /** The account user who creates it. */
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

/**
 * Roles that may issue keys in other people's names. Both accounts are locked, so that neither can be disabled or
 * demoted at the same time.
 */
const ISSUERS: readonly (Role | null)[] = ['owner', 'admin'];

/**
 * Fails with `FORBIDDEN` for a disabled account user, or if the issuer may not issue the key now. A live key can never
 * be recovered except from `secret`; a test key is also stored sealed.
 */
export async function issueApiKey(
  tx: WriteTransaction,
  { client, ...params }: CreateApiKeyParams,
  sealing: Sealing,
): Promise<{ secret: string; apiKey: ApiKey }> {
  const { organizationId, accountUserId, createdBy } = params;
  const role = await holdEnabled(tx, organizationId, accountUserId);
  if (role === null) fail('FORBIDDEN', 'The account user is disabled or removed');
  if (!mayHoldKeys(role)) fail('FORBIDDEN', `An account user with the role ${role} cannot have API keys`);
  if (createdBy !== accountUserId && !ISSUERS.includes(await holdEnabled(tx, organizationId, createdBy)))
    fail('FORBIDDEN', 'Only owners and admins can create API keys for other people');
  const id = randomUuid();
  const secret = makeApiKey(params.environment, randomInt);
  const sealed = params.environment === 'test' ? sealing.seal(secret, API_KEY_SEAL, id) : null;
  const row = {
    ...params,
    id,
    hash: hashApiKey(secret),
    sealed,
    scopes: [...params.scopes],
    mayWriteUnsigned: params.mayWriteUnsigned ?? false,
    clientId: client?.id ?? null,
    clientName: client?.name ?? null,
    revokedAt: null,
    lastUsedAt: null,
  };
  await tx.em.insert(ApiKeyTable, row);
  return { secret, apiKey: row as unknown as ApiKey };
}
