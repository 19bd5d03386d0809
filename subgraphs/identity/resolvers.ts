/** Routes each field of the schema to its operation. */
import { SCOPES } from '../../schema/scopes.ts';
import type { SubgraphSurroundings } from '../../platform/subgraph/subgraph.ts';
import type { ApiKey } from './data/api-key.ts';
import type { Organization } from './data/organization.ts';
import { createAccountUser } from './operations/create-account-user.ts';
import { createApiKey } from './operations/create-api-key.ts';
import { createOrganization } from './operations/create-organization.ts';
import { identifyCaller } from './operations/identify-caller.ts';
import { listApiKeys } from './operations/list-api-keys.ts';
import { listOrganizations } from './operations/list-organizations.ts';
import { revokeApiKey } from './operations/revoke-api-key.ts';
import type { Resolvers } from './resolvers.generated.ts';
import { permissionsManifest } from './rules/permissions.ts';
import { API_KEY_SEAL, sealingKey } from './rules/seal.ts';

export function resolvers({ serviceSecret }: SubgraphSurroundings): Resolvers {
  const keySeal = sealingKey(serviceSecret, API_KEY_SEAL);
  return {
    Query: {
      principal: (_source, { kind, token, organizationId }, context) => identifyCaller(context, kind, token, organizationId ?? null),
      caller: (_source, _args, { principal }) => ({
        ok: true,
        organizationId: principal.organizationId,
        accountUserId: principal.accountUserId,
        environment: principal.environment,
        keyName: principal.credentialName,
        scopes: SCOPES.filter((scope) => principal.grants.includes(scope)),
        expiresAt: principal.expiresAt,
      }),
      permissionsManifest: () => permissionsManifest,
      organizations: async (_source, _args, context) => (await listOrganizations(context)).map(organizationAnswer),
      apiKeys: (_source, _args, context) => listApiKeys(context).then((keys) => keys.map(apiKeyAnswer)),
    },
    Mutation: {
      createOrganization: async (_source, args, context) => {
        const { organization, ownerUserId } = await createOrganization(context, args);
        return { organization: organizationAnswer(organization), ownerUserId };
      },
      createAccountUser: (_source, args, context) => createAccountUser(context, args),
      createApiKey: async (_source, { input }, context) => {
        const { secret, apiKey } = await createApiKey(context, input, keySeal);
        return { secret, apiKey: apiKeyAnswer(apiKey) };
      },
      revokeApiKey: async (_source, { id }, context) => apiKeyAnswer(await revokeApiKey(context, id)),
    },
  };
}

function organizationAnswer({ organizationId, name, createdAt }: Organization) {
  return { id: organizationId, name, createdAt };
}

/** Hash and seal stay here. */
function apiKeyAnswer({ id, name, description, scopes, environment, accountUserId, createdAt, expiresAt, revokedAt, lastUsedAt }: ApiKey) {
  return {
    id, name, scopes, environment, accountUserId, createdAt, description: description ?? null,
    expiresAt: expiresAt ?? null, revokedAt: revokedAt ?? null, lastUsedAt: lastUsedAt ?? null,
  };
}
