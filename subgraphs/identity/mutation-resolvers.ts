/** Mutation resolvers, each of which calls one operation. Mutations for our own pages return user errors (decision 47). */
import { findAccountUser } from './accounts/members/find-account-user.operation.ts';
import { revokeInvitation } from './accounts/invitations/revoke-invitation.operation.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { claimDeviceLogin } from './oauth/devices/claim-device-login.operation.ts';
import { completeSignIn } from './sessions/sign-in/complete-sign-in.operation.ts';
import { changePassword } from './sessions/sign-in/change-password.operation.ts';
import { confirmOwnPassword } from './sessions/confirm-own-password.operation.ts';
import { confirmSecondFactor } from './sessions/second-factors/confirm-second-factor.operation.ts';
import { createAccountUser } from './accounts/members/create-account-user.operation.ts';
import { createApiKey } from './keys/create-api-key.operation.ts';
import { createOperatorToken } from './operators/create-operator-token.operation.ts';
import { deleteOrganization } from './accounts/members/delete-organization.operation.ts';
import { createOrganization } from './accounts/create-organization.operation.ts';
import { decideAuthorization } from './oauth/decide-authorization.operation.ts';
import { decideDeviceLogin } from './oauth/devices/decide-device-login.operation.ts';
import { exchangeOauthCode } from './oauth/exchange-oauth-code.operation.ts';
import { completeSignInWithPasskey } from './sessions/sign-in/complete-sign-in-with-passkey.operation.ts';
import { confirmPasskey } from './sessions/passkeys/confirm-passkey.operation.ts';
import { removePasskey } from './sessions/passkeys/remove-passkey.operation.ts';
import { renamePasskey } from './sessions/passkeys/rename-passkey.operation.ts';
import { signInWithPasskey } from './sessions/sign-in/sign-in-with-passkey.operation.ts';
import { startPasskey } from './sessions/passkeys/start-passkey.operation.ts';
import { startPasskeySignIn } from './sessions/sign-in/start-passkey-sign-in.operation.ts';
import { pollDeviceLogin } from './oauth/devices/poll-device-login.operation.ts';
import { registerOauthClient } from './oauth/register-oauth-client.operation.ts';
import { replaceRecoveryCodes } from './sessions/second-factors/replace-recovery-codes.operation.ts';
import { resealValues } from './sealed-values/reseal-values.operation.ts';
import { revealApiKey } from './keys/reveal-api-key.operation.ts';
import { revokeApiKey } from './keys/revoke-api-key.operation.ts';
import { revokeOperatorToken } from './operators/revoke-operator-token.operation.ts';
import { revokeToken } from './oauth/revoke-token.operation.ts';
import { setUnsignedWrites } from './keys/set-unsigned-writes.operation.ts';
import { rotateApiKey } from './keys/rotate-api-key.operation.ts';
import { rotateOperatorToken } from './operators/rotate-operator-token.operation.ts';
import { takeInput, withChangeAndUserErrors, withUserErrors } from '#platform/subgraph/user-errors.ts';
import { renameOrganization } from './accounts/members/rename-organization.operation.ts';
import { setFiscalYear } from './accounts/members/set-fiscal-year.operation.ts';
import { requireSecondFactor } from './accounts/members/require-second-factor.operation.ts';
import { leaveSample } from './sample/leave-sample.operation.ts';
import { openSample } from './sample/open-sample.operation.ts';
import { removeSample } from './sample/remove-sample.operation.ts';
import { signIn } from './sessions/sign-in/sign-in.operation.ts';
import { signOutOtherSessions } from './sessions/sign-out-other-sessions.operation.ts';
import { signOutSession } from './sessions/sign-out-session.operation.ts';
import { startAuthorization } from './oauth/start-authorization.operation.ts';
import { startDeviceLogin } from './oauth/devices/start-device-login.operation.ts';
import { startSecondFactor } from './sessions/second-factors/start-second-factor.operation.ts';
import { turnOffSecondFactor } from './sessions/second-factors/turn-off-second-factor.operation.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type {
  EndedAccess,
  AccountUserDisableInput,
  AccountUserEndSessionsInput,
  AccountUserSetRoleInput,
} from './resolvers.generated.ts';
import { listInvitations } from './accounts/invitations/list-invitations.operation.ts';
import { disableAccountUser } from './accounts/members/disable-account-user.operation.ts';
import { enableAccountUser } from './accounts/members/enable-account-user.operation.ts';
import { removeAccountUser } from './accounts/members/remove-account-user.operation.ts';
import { setAccountUserRole } from './accounts/members/set-account-user-role.operation.ts';
import { endAccountUserSessions } from './accounts/members/end-account-user-sessions.operation.ts';
import { startPasswordReset } from './accounts/members/start-password-reset.operation.ts';
import { completePasswordReset } from './accounts/members/complete-password-reset.operation.ts';
import { resetSecondFactor } from './accounts/members/reset-second-factor.operation.ts';
import { inviteAccountUser } from './accounts/invitations/invite-account-user.operation.ts';
import { acceptInvitation } from './accounts/invitations/accept-invitation.operation.ts';
import { ownOrigins } from '#platform/own-origins.ts';
import type { MutationResolvers } from './resolvers.generated.ts';

export function mutationResolvers({
  sealing,
  config,
}: Pick<SubgraphDependencies, 'sealing' | 'config'>): MutationResolvers {
  const origins = [...ownOrigins([config.mcpUrl, config.apiOrigin, config.appUrl])];
  const resources = [config.mcpUrl, config.apiOrigin, ...origins].flatMap((base) => [
    base,
    `${base}/mcp`,
    `${base}/v1`,
  ]);
  const issuer = new URL(config.appUrl).host;
  return takeInput<MutationResolvers>({
    organizationDelete: withUserErrors('deletedRows', (_source, request, context) =>
      deleteOrganization(context, request),
    ),
    organizationCreate: withUserErrors('createdOrganization', (_source, args, context) =>
      createOrganization(context, args),
    ),
    accountUserCreate: withChangeAndUserErrors(NO_ACCOUNT_USER, async (_source, args, context) => {
      const { userId } = await createAccountUser(context, args);
      return { accountUser: await findAccountUser(context, userId, null), hasChanged: true, endedAccess: null };
    }),
    completePasswordReset: (_source, args, context) => completePasswordReset(context, args),
    sampleDataOpen: withUserErrors('sampleData', (_source, _args, context) => openSample(context)),
    sampleDataLeave: withUserErrors('sampleData', (_source, _args, context) => leaveSample(context)),
    sampleDataRemove: withUserErrors('sampleData', async (_source, _args, context) => {
      await removeSample(context);
      return null;
    }),
    organizationFiscalYearSet: withUserErrors(
      'organization',
      (_source: unknown, { firstMonth }: { firstMonth: number }, context) => setFiscalYear(context, firstMonth),
    ),
    organizationRename: withUserErrors('organization', (_source: unknown, { name }: { name: string }, context) =>
      renameOrganization(context, name),
    ),
    invitationRevoke: withChangeAndUserErrors(NO_INVITATION, async (_source, { id }, context) => {
      const open = (await listInvitations(context)).find((invitation) => invitation.id === id);
      return { invitation: open ?? null, hasChanged: await revokeInvitation(context, id) };
    }),
    acceptInvitation: (_source, args, context) => acceptInvitation(context, args),
    apiKeyCreate: withUserErrors('createdApiKey', (_source, input, context) => createApiKey(context, input, sealing)),
    apiKeyRevoke: withUserErrors('apiKey', (_source, { id }, context) => revokeApiKey(context, id)),
    apiKeyRotate: withUserErrors('rotatedApiKey', (_source, { id }, context) => rotateApiKey(context, id, sealing)),
    apiKeySetUnsignedWrites: withUserErrors('apiKey', (_source, { id, allowed }, context) =>
      setUnsignedWrites(context, id, allowed),
    ),
    accountUserInvite: withUserErrors('createdInvitation', (_source, args, context) =>
      inviteAccountUser(context, args, config.appUrl),
    ),
    accountUserSetRole: withChangeAndUserErrors(
      NO_ACCOUNT_USER,
      async (_source: unknown, args: AccountUserSetRoleInput, context) => {
        const { id, role, ownPassword, revokeIssuedKeys } = args;
        const revoked = await setAccountUserRole(context, id, role, ownPassword ?? null, { revokeIssuedKeys });
        const accountUser = await findAccountUser(context, id, null);
        return { accountUser, hasChanged: revoked !== null, endedAccess: { ...NOTHING_ENDED, ...revoked } };
      },
    ),
    accountUserDisable: withAccountUser<AccountUserDisableInput>(disableAccountUser),
    accountUserEnable: withAccountUser(enableAccountUser),
    accountUserRemove: withAccountUser<AccountUserDisableInput>(removeAccountUser),
    accountUserEndSessions: withAccountUser(
      async (context, id, ownPassword, { sessionId }: AccountUserEndSessionsInput) => ({
        ...NOTHING_ENDED,
        sessions: await endAccountUserSessions(context, id, sessionId ?? null, ownPassword),
      }),
    ),
    accountUserResetSecondFactor: withAccountUser(resetSecondFactor),
    accountUserStartPasswordReset: withUserErrors('link', (_source, { id, ownPassword }, context) =>
      startPasswordReset(context, id, config.appUrl, ownPassword),
    ),
    organizationRequireSecondFactor: withUserErrors('organization', (_source, { required }, context) =>
      requireSecondFactor(context, required),
    ),
    apiKeyReveal: withUserErrors('revealedApiKey', (_source, { id }, context) => revealApiKey(context, id, sealing)),

    signIn: (_source, args, context) => signIn(context, args),
    completeSignIn: (_source, args, context) => completeSignIn(context, args, sealing),
    startPasskeySignIn: async (_source, args, context) => ({
      options: await startPasskeySignIn(context, args, config.appUrl),
    }),
    signInWithPasskey: (_source, args, context) => signInWithPasskey(context, args, config.appUrl),
    completeSignInWithPasskey: (_source, args, context) => completeSignInWithPasskey(context, args, config.appUrl),
    currentSessionEnd: withUserErrors('hasEnded', (_source, _args, context) => signOutSession(context, null)),
    sessionEnd: withUserErrors('hasEnded', (_source, { id }, context) => signOutSession(context, id)),
    otherSessionsEnd: withUserErrors('endedSessions', (_source, _args, context) => signOutOtherSessions(context)),

    confirmOwnPassword: (_source, { ownPassword }, context) => confirmOwnPassword(context, ownPassword),
    secondFactorStart: withUserErrors('offer', (_source, { password }, context) =>
      startSecondFactor(context, sealing, issuer, password),
    ),
    secondFactorConfirm: withUserErrors('recoveryCodes', (_source, { code }, context) =>
      confirmSecondFactor(context, code, sealing),
    ),
    recoveryCodesReplace: withUserErrors('recoveryCodes', async (_source, { code }, context) => ({
      session: null,
      ...(await replaceRecoveryCodes(context, code, sealing)),
    })),
    passwordChange: withUserErrors('session', (_source, { password, newPassword, revokeKeysSince }, context) =>
      changePassword(context, password, newPassword, revokeKeysSince),
    ),
    secondFactorTurnOff: withUserErrors('session', (_source, { password, code }, context) =>
      turnOffSecondFactor(context, password, code, sealing),
    ),

    passkeyStart: withUserErrors('passkeyOptions', async (_source, { password }, context) => ({
      options: await startPasskey(context, password, config.appUrl),
    })),
    passkeyConfirm: withUserErrors('addedPasskey', (_source, args, context) =>
      confirmPasskey(context, args, sealing, config.appUrl),
    ),
    passkeyRename: withUserErrors('passkey', (_source, { id, name }, context) => renamePasskey(context, id, name)),
    passkeyRemove: withUserErrors('session', (_source, { id, password }, context) =>
      removePasskey(context, id, password),
    ),

    operatorTokenCreate: withUserErrors('newOperatorToken', (_source, { name }, context) =>
      createOperatorToken(context, name),
    ),
    operatorTokenRotate: withUserErrors('newOperatorToken', (_source, { name }, context) =>
      rotateOperatorToken(context, name),
    ),
    operatorTokenRevoke: withUserErrors('operatorToken', (_source, { name }, context) =>
      revokeOperatorToken(context, name),
    ),
    identityValuesReseal: withUserErrors('step', (_source, page, context) => resealValues(context, sealing, page)),

    registerOauthClient: async (_source, { metadata, address }, context) => ({
      ...NO_CLIENT,
      ...(await registerOauthClient(context, metadata, address)),
    }),
    authorizationStart: withUserErrors('authorization', (_source, { parameters }, context) =>
      startAuthorization(context, parameters, resources),
    ),
    authorizationApprove: withUserErrors('decision', (_source, { id }, context) =>
      decideAuthorization(context, id, 'approved'),
    ),
    authorizationDeny: withUserErrors('decision', (_source, { id }, context) =>
      decideAuthorization(context, id, 'denied'),
    ),
    exchangeOauthCode: async (_source, args, context) => ({
      ...NO_TOKEN,
      ...(await exchangeOauthCode(context, args, resources, sealing)),
    }),
    startDeviceLogin: async (_source, args, context) => ({
      ...NO_LOGIN,
      ...(await startDeviceLogin(context, args, config.appUrl, sealing)),
    }),
    deviceLoginClaim: withUserErrors('deviceLogin', (_source, { userCode }, context) =>
      claimDeviceLogin(context, userCode, sealing),
    ),
    deviceLoginApprove: withUserErrors('deviceLogin', (_source, { id }, context) =>
      decideDeviceLogin(context, id, 'approved'),
    ),
    deviceLoginDeny: withUserErrors('deviceLogin', (_source, { id }, context) =>
      decideDeviceLogin(context, id, 'denied'),
    ),
    pollDeviceLogin: async (_source, args, context) => ({
      ...NO_TOKEN,
      ...(await pollDeviceLogin(context, args, sealing)),
    }),
    revokeToken: (_source, { token }, context) => revokeToken(context, token),
  });
}

/** Returns the account user after the change, or before it if the user was removed. */
function withAccountUser<Arguments extends Pick<AccountUserDisableInput, 'id' | 'ownPassword'>>(
  change: (
    context: SubgraphContext,
    id: string,
    ownPassword: string | null,
    args: Arguments,
  ) => Promise<boolean | EndedAccess>,
) {
  return withChangeAndUserErrors(NO_ACCOUNT_USER, async (_source: unknown, args: Arguments, context) => {
    const before = await findAccountUser(context, args.id, null);
    const outcome = await change(context, args.id, args.ownPassword ?? null, args);
    return {
      accountUser: (await findAccountUser(context, args.id, null)) ?? before,
      hasChanged: typeof outcome === 'boolean' ? outcome : null,
      endedAccess: typeof outcome === 'boolean' ? null : outcome,
    };
  });
}

const NOTHING_ENDED: EndedAccess = { sessions: 0, apiKeys: 0, issuedApiKeys: 0, invitations: 0, passwordResets: 0 };

const NO_INVITATION = { invitation: null, hasChanged: null };
const NO_ACCOUNT_USER = { accountUser: null, hasChanged: null, endedAccess: null };

/** Fields that OAuth responses leave out: an error has no token, a token no error. */
const NO_ERROR = { error: null, errorDescription: null };
const NO_TOKEN = { ...NO_ERROR, accessToken: null, tokenType: null, expiresIn: null, scope: null };
const NO_CODES = { deviceCode: null, userCode: null, verificationUri: null, verificationUriComplete: null };
const NO_LOGIN = { ...NO_ERROR, ...NO_CODES, expiresIn: null, interval: null };
const NO_REGISTRATION = { clientId: null, clientIdIssuedAt: null, clientName: null, tokenEndpointAuthMethod: null };
const NO_CLIENT = { ...NO_ERROR, ...NO_REGISTRATION, redirectUris: null, grantTypes: null, responseTypes: null };
