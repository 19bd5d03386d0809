/** Ends a key at once. */
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { type ApiKey, ApiKeyTable, organizationOfKey } from '../data/api-key.ts';

/** An operator names the key alone; everybody else revokes keys of the own organization, a member only own keys. */
export async function revokeApiKey(context: SubgraphContext, id: string): Promise<ApiKey> {
  const { kind, organizationId: own, grants, accountUserId } = context.principal;
  const organizationId = kind === 'operator' && own === null
    ? await context.database.acrossOrganizations((em) => organizationOfKey(em, id)) ?? notFound()
    : organizationOf(context);
  const mayAll = ['operator', 'owner', 'admin'].some((grant) => grants.includes(grant));
  return context.database.forOrganization(organizationId, async (em) => {
    await em.nativeUpdate(ApiKeyTable, { organizationId, id, revokedAt: null, ...(mayAll ? {} : { accountUserId: accountUserId ?? '' }) }, { revokedAt: now() });
    return await em.findOne(ApiKeyTable, { organizationId, id, ...(mayAll ? {} : { accountUserId: accountUserId ?? '' }) }) ?? notFound();
  });
}

function notFound(): never {
  return fail('NOT_FOUND', 'There is no such API key');
}
