/** Routes each field of the schema to its operation. */
import { auditedOrganizationOf, readAuditLog } from '../../platform/subgraph/read-audit-log.ts';
import type { SubgraphSurroundings } from '../../platform/subgraph/subgraph.ts';
import { acceptInvitation } from './operations/accept-invitation.ts';
import { changePassword } from './operations/change-password.ts';
import { claimDeviceLogin } from './operations/claim-device-login.ts';
import { completePasswordReset } from './operations/complete-password-reset.ts';
import { completeSignIn } from './operations/complete-sign-in.ts';
import { confirmSecondFactor } from './operations/confirm-second-factor.ts';
import { createAccountUser } from './operations/create-account-user.ts';
import { createApiKey } from './operations/create-api-key.ts';
import { createOperatorToken } from './operations/create-operator-token.ts';
import { createOrganization } from './operations/create-organization.ts';
import { decideAuthorization } from './operations/decide-authorization.ts';
import { decideDeviceLogin } from './operations/decide-device-login.ts';
import { disableAccountUser } from './operations/disable-account-user.ts';
import { enableAccountUser } from './operations/enable-account-user.ts';
import { endAccountUserSessions } from './operations/end-account-user-sessions.ts';
import { exchangeOauthCode } from './operations/exchange-oauth-code.ts';
import { findAccountUser } from './operations/find-account-user.ts';
import { identifyCaller } from './operations/identify-caller.ts';
import { inviteAccountUser } from './operations/invite-account-user.ts';
import { listAccountUserSessions } from './operations/list-account-user-sessions.ts';
import { listAccountUsers } from './operations/list-account-users.ts';
import { listApiKeys } from './operations/list-api-keys.ts';
import { listInvitations } from './operations/list-invitations.ts';
import { listOperatorTokens } from './operations/list-operator-tokens.ts';
import { listOrganizations } from './operations/list-organizations.ts';
import { listSealedValues } from './operations/list-sealed-values.ts';
import { listSessions } from './operations/list-sessions.ts';
import { pollDeviceLogin } from './operations/poll-device-login.ts';
import { registerOauthClient } from './operations/register-oauth-client.ts';
import { removeAccountUser } from './operations/remove-account-user.ts';
import { replaceRecoveryCodes } from './operations/replace-recovery-codes.ts';
import { resealValues } from './operations/reseal-values.ts';
import { resetSecondFactor } from './operations/reset-second-factor.ts';
import { revealApiKey } from './operations/reveal-api-key.ts';
import { revokeApiKey } from './operations/revoke-api-key.ts';
import { revokeInvitation } from './operations/revoke-invitation.ts';
import { revokeOperatorToken } from './operations/revoke-operator-token.ts';
import { revokeToken } from './operations/revoke-token.ts';
import { rotateApiKey } from './operations/rotate-api-key.ts';
import { rotateOperatorToken } from './operations/rotate-operator-token.ts';
import { setAccountUserRole } from './operations/set-account-user-role.ts';
import { showCaller } from './operations/show-caller.ts';
import { showInvitation } from './operations/show-invitation.ts';
import { showPasswordReset } from './operations/show-password-reset.ts';
import { showPermissions } from './operations/show-permissions.ts';
import { showSecondFactor } from './operations/show-second-factor.ts';
import { signIn } from './operations/sign-in.ts';
import { signOutOtherSessions } from './operations/sign-out-other-sessions.ts';
import { signOutSession } from './operations/sign-out-session.ts';
import { startAuthorization } from './operations/start-authorization.ts';
import { startDeviceLogin } from './operations/start-device-login.ts';
import { startPasswordReset } from './operations/start-password-reset.ts';
import { startSecondFactor } from './operations/start-second-factor.ts';
import { turnOffSecondFactor } from './operations/turn-off-second-factor.ts';
import type { Resolvers } from './resolvers.generated.ts';

export function resolvers({ sealing, config }: SubgraphSurroundings): Resolvers {
  const resources = [`${config.mcpUrl}/mcp`, config.mcpUrl, config.apiOrigin, `${config.apiOrigin}/v1`];
  const issuer = new URL(config.appUrl).host;
  return {
    Query: {
      principal: (_source, { kind, token, organizationId }, context) => identifyCaller(context, kind, token, organizationId ?? null),
      caller: (_source, _args, { principal }) => showCaller(principal),
      permissionsManifest: () => showPermissions(),
      organizations: (_source, _args, context) => listOrganizations(context),
      apiKeys: (_source, _args, context) => listApiKeys(context),
      accountUsers: (_source, _args, context) => listAccountUsers(context),
      accountUser: (_source, { id, email }, context) => findAccountUser(context, id ?? null, email ?? null),
      accountUserSessions: (_source, { id }, context) => listAccountUserSessions(context, id),
      invitations: (_source, _args, context) => listInvitations(context),
      invitation: (_source, { token }, context) => showInvitation(context, token),
      passwordReset: (_source, { token }, context) => showPasswordReset(context, token),
      sessions: (_source, _args, context) => listSessions(context),
      secondFactor: (_source, _args, context) => showSecondFactor(context),
      auditLog: (_source, page, context) => readAuditLog(context, auditedOrganizationOf(context), page),
      operatorTokens: (_source, _args, context) => listOperatorTokens(context),
      identitySealedValues: (_source, _args, context) => listSealedValues(context, sealing),
    },
    Mutation: {
      createOrganization: (_source, args, context) => createOrganization(context, args),
      createAccountUser: (_source, args, context) => createAccountUser(context, args),
      disableAccountUser: (_source, { id }, context) => disableAccountUser(context, id),
      enableAccountUser: (_source, { id }, context) => enableAccountUser(context, id),
      removeAccountUser: (_source, { id }, context) => removeAccountUser(context, id),
      setAccountUserRole: (_source, { id, role }, context) => setAccountUserRole(context, id, role),
      endAccountUserSessions: (_source, { id, sessionId }, context) => endAccountUserSessions(context, id, sessionId ?? null),
      startPasswordReset: (_source, { id }, context) => startPasswordReset(context, id, config.appUrl),
      completePasswordReset: (_source, args, context) => completePasswordReset(context, args),
      resetSecondFactor: (_source, { id }, context) => resetSecondFactor(context, id),
      inviteAccountUser: (_source, args, context) => inviteAccountUser(context, args, config.appUrl),
      revokeInvitation: (_source, { id }, context) => revokeInvitation(context, id),
      acceptInvitation: (_source, args, context) => acceptInvitation(context, args),
      createApiKey: (_source, { input }, context) => createApiKey(context, input, sealing),
      revokeApiKey: (_source, { id }, context) => revokeApiKey(context, id),
      rotateApiKey: (_source, { id }, context) => rotateApiKey(context, id, sealing),
      revealApiKey: (_source, { id }, context) => revealApiKey(context, id, sealing),

      signIn: (_source, args, context) => signIn(context, args),
      completeSignIn: (_source, args, context) => completeSignIn(context, args, sealing),
      signOut: (_source, _args, context) => signOutSession(context, null),
      signOutSession: (_source, { id }, context) => signOutSession(context, id),
      signOutOtherSessions: (_source, _args, context) => signOutOtherSessions(context),

      startSecondFactor: (_source, { password }, context) => startSecondFactor(context, sealing, issuer, password ?? null),
      confirmSecondFactor: (_source, { code }, context) => confirmSecondFactor(context, code, sealing),
      replaceRecoveryCodes: async (_source, { code }, context) => ({ session: null, ...await replaceRecoveryCodes(context, code, sealing) }),
      changePassword: (_source, { password, newPassword }, context) => changePassword(context, password, newPassword),
      turnOffSecondFactor: (_source, { password, code }, context) => turnOffSecondFactor(context, password, code, sealing),

      createOperatorToken: (_source, { name }, context) => createOperatorToken(context, name),
      rotateOperatorToken: (_source, { name }, context) => rotateOperatorToken(context, name),
      revokeOperatorToken: (_source, { name }, context) => revokeOperatorToken(context, name),
      resealIdentityValues: (_source, page, context) => resealValues(context, sealing, page),

      registerOauthClient: async (_source, { metadata, address }, context) => ({ ...NO_CLIENT, ...await registerOauthClient(context, metadata, address) }),
      startAuthorization: (_source, { parameters }, context) => startAuthorization(context, parameters, resources),
      approveAuthorization: (_source, { id }, context) => decideAuthorization(context, id, 'approved'),
      denyAuthorization: (_source, { id }, context) => decideAuthorization(context, id, 'denied'),
      exchangeOauthCode: async (_source, args, context) => ({ ...NO_TOKEN, ...await exchangeOauthCode(context, args, resources, sealing) }),
      startDeviceLogin: async (_source, args, context) => ({ ...NO_LOGIN, ...await startDeviceLogin(context, args, config.appUrl, sealing) }),
      claimDeviceLogin: (_source, { userCode }, context) => claimDeviceLogin(context, userCode, sealing),
      approveDeviceLogin: (_source, { id }, context) => decideDeviceLogin(context, id, 'approved'),
      denyDeviceLogin: (_source, { id }, context) => decideDeviceLogin(context, id, 'denied'),
      pollDeviceLogin: async (_source, args, context) => ({ ...NO_TOKEN, ...await pollDeviceLogin(context, args, sealing) }),
      revokeToken: (_source, { token }, context) => revokeToken(context, token),
    },
  };
}

/** What OAuth answers leave out: an error has no token, a token no error. */
const NO_ERROR = { error: null, errorDescription: null };
const NO_TOKEN = { ...NO_ERROR, accessToken: null, tokenType: null, expiresIn: null, scope: null };
const NO_LOGIN = { ...NO_ERROR, deviceCode: null, userCode: null, verificationUri: null, verificationUriComplete: null, expiresIn: null, interval: null };
const NO_CLIENT = {
  ...NO_ERROR, clientId: null, clientIdIssuedAt: null, clientName: null, redirectUris: null, grantTypes: null, responseTypes: null, tokenEndpointAuthMethod: null,
};
