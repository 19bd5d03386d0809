/** Routes each field of the schema to its operation. */
import { auditedOrganizationOf, readAuditLog } from '#platform/subgraph/read-audit-log.ts';
import { listAccountUsers } from './accounts/members/list-account-users.operation.ts';
import { findAccountUser } from './accounts/members/find-account-user.operation.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { identifyCaller } from './callers/identify-caller.operation.ts';
import { getApiKey } from './keys/get-api-key.operation.ts';
import { listApiKeys } from './keys/list-api-keys.operation.ts';
import { listOperatorTokens } from './operators/list-operator-tokens.operation.ts';
import { listOrganizationIds } from './accounts/list-organization-ids.operation.ts';
import { listOrganizations } from './accounts/list-organizations.operation.ts';
import { listSealedValues } from './sealed-values/list-sealed-values.operation.ts';
import { listSessions } from './sessions/list-sessions.operation.ts';
import { listPasskeys } from './sessions/passkeys/list-passkeys.operation.ts';
import { getOrganization } from './accounts/get-organization.operation.ts';
import { getCaller } from './callers/get-caller.operation.ts';
import { getPermissions } from './keys/get-permissions.operation.ts';
import { getSample } from './sample/get-sample.operation.ts';
import { getSecondFactor } from './sessions/second-factors/get-second-factor.operation.ts';
import type { Resolvers } from './resolvers.generated.ts';
import { listAccountUserSessions } from './accounts/members/list-account-user-sessions.operation.ts';
import { getAccountUserRole } from './accounts/members/get-account-user-role.operation.ts';
import { listInvitations } from './accounts/invitations/list-invitations.operation.ts';
import { listIssued } from './accounts/members/list-issued.operation.ts';
import { getInvitation } from './accounts/invitations/get-invitation.operation.ts';
import { getPasswordReset } from './accounts/members/get-password-reset.operation.ts';
import { mutationResolvers } from './mutation-resolvers.ts';

export function resolvers({ sealing, config }: SubgraphDependencies): Resolvers {
  return {
    Query: {
      principal: (_source, { kind, token, organizationId }, context) =>
        identifyCaller(context, kind, token, organizationId ?? null),
      caller: (_source, _args, { principal }) => getCaller(principal),
      permissionsManifest: () => getPermissions(),
      organization: (_source, _args, context) => getOrganization(context),
      sampleData: (_source, _args, context) => getSample(context),
      organizations: (_source, _args, context) => listOrganizations(context),
      deletedOrganizations: (_source, { after }, context) => listOrganizationIds(context, 'deleted', after ?? null),
      organizationIds: (_source, { after }, context) => listOrganizationIds(context, 'present', after ?? null),
      accountUserRole: (_source, { id }, context) => getAccountUserRole(context, id),
      apiKeys: (_source, _args, context) => listApiKeys(context),
      accountUsers: (_source, _args, context) => listAccountUsers(context),
      accountUser: (_source, { id, email }, context) => findAccountUser(context, id ?? null, email ?? null),
      accountUserSessions: (_source, { id }, context) => listAccountUserSessions(context, id),
      accountUserIssued: (_source, { id }, context) => listIssued(context, id),
      invitations: (_source, _args, context) => listInvitations(context),
      invitation: (_source, { token }, context) => getInvitation(context, token),
      passwordReset: (_source, { token }, context) => getPasswordReset(context, token),
      sessions: (_source, _args, context) => listSessions(context),
      passkeys: (_source, _args, context) => listPasskeys(context),
      secondFactor: (_source, _args, context) => getSecondFactor(context),
      auditLog: (_source, page, context) => readAuditLog(context, auditedOrganizationOf(context), page),
      operatorTokens: (_source, _args, context) => listOperatorTokens(context),
      identitySealedValues: (_source, _args, context) => listSealedValues(context, sealing),
    },
    ApiKey: {
      __resolveReference: ({ id }, context) => getApiKey(context, id),
    },
    Mutation: mutationResolvers({ sealing, config }),
  };
}
