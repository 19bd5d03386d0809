/** Identity: authentication and authorization. */
import { now } from '#platform/clock.ts';
import { deletedOrganizationsJob } from '#platform/subgraph/deleted-organizations-job.ts';
import type { SubgraphDefinition } from '#platform/subgraph/subgraph.ts';
import { AccountUserTable } from './accounts/account-user.table.ts';
import { ApiKeyTable } from './keys/api-key.table.ts';
import { AuditRecordTable } from './audit-log/audit-record.table.ts';
import { AuthorizationCodeTable } from './oauth/authorization-code.table.ts';
import { AuthorizationRequestTable } from './oauth/authorization-request.table.ts';
import { DeviceLoginTable } from './oauth/devices/device-login.table.ts';
import { InvitationTable } from './accounts/invitations/invitation.table.ts';
import { OauthClientTable } from './oauth/oauth-client.table.ts';
import { OperatorTable } from './operators/operator.table.ts';
import { OrganizationTable } from './accounts/organization.table.ts';
import { PasswordResetTable } from './accounts/members/password-reset.table.ts';
import { RecoveryCodeTable } from './sessions/second-factors/recovery-code.table.ts';
import { PasskeyChallengeTable } from './sessions/passkeys/passkey-challenge.table.ts';
import { PasskeyTable } from './sessions/second-factors/passkey.table.ts';
import { prepareRecoveryCodeKeys, RecoveryCodeKeyTable } from './sessions/second-factors/recovery-code-key.table.ts';
import { SEALED_COLUMNS } from './sealed-values/sealed-columns.step.ts';
import { SecondFactorTable } from './sessions/second-factors/second-factor.table.ts';
import { SessionTable } from './sessions/session.table.ts';
import { SignInAttemptTable } from './sessions/sign-in/sign-in-attempt.table.ts';
import { ThrottleTable } from './throttling/throttle.table.ts';
import { purgeExpired } from './expiry/purge-expired.job.ts';
import { createFirstRun } from './operators/create-first-run.operation.ts';
import { resolvers } from './resolvers.ts';

export const identity: SubgraphDefinition = {
  name: 'identity',
  schemaFile: new URL('./schema.graphql', import.meta.url),
  entities: [
    OrganizationTable,
    AccountUserTable,
    ApiKeyTable,
    OperatorTable,
    SessionTable,
    SignInAttemptTable,
    SecondFactorTable,
    RecoveryCodeTable,
    RecoveryCodeKeyTable,
    OauthClientTable,
    AuthorizationRequestTable,
    AuthorizationCodeTable,
    DeviceLoginTable,
    AuditRecordTable,
    ThrottleTable,
    InvitationTable,
    PasswordResetTable,
    PasskeyTable,
    PasskeyChallengeTable,
  ],
  migrationsFolder: new URL('./migrations/', import.meta.url),
  resolvers,
  jobs: (dependencies) => [purgeExpired(dependencies), deletedOrganizationsJob(dependencies, ['organization'])],
  sealed: SEALED_COLUMNS,
  prepare: async ({ database, sealing, writeFirstRun }) => {
    await database.system((tx) => prepareRecoveryCodeKeys(tx, sealing, now()));
    await createFirstRun(database, sealing, writeFirstRun);
  },
};
