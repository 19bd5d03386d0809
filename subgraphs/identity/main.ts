/** Identity: who is asking, and may they. */
import { now } from '../../platform/clock.ts';
import type { SubgraphDefinition } from '../../platform/subgraph/subgraph.ts';
import { AccountUserTable } from './data/account-user.ts';
import { ApiKeyTable } from './data/api-key.ts';
import { AuditRecordTable } from './data/audit-record.ts';
import { AuthorizationCodeTable } from './data/authorization-code.ts';
import { AuthorizationRequestTable } from './data/authorization-request.ts';
import { DeviceLoginTable } from './data/device-login.ts';
import { InvitationTable } from './data/invitation.ts';
import { OauthClientTable } from './data/oauth-client.ts';
import { OperatorTable } from './data/operator.ts';
import { OrganizationTable } from './data/organization.ts';
import { PasswordResetTable } from './data/password-reset.ts';
import { RecoveryCodeTable } from './data/recovery-code.ts';
import { prepareRecoveryCodeKeys, RecoveryCodeKeyTable } from './data/recovery-code-key.ts';
import { SEALED_COLUMNS } from './data/sealed-columns.ts';
import { SecondFactorTable } from './data/second-factor.ts';
import { SessionTable } from './data/session.ts';
import { SignInAttemptTable } from './data/sign-in-attempt.ts';
import { ThrottleTable } from './data/throttle.ts';
import { purgeExpired } from './jobs/purge-expired.ts';
import { createFirstRun } from './operations/create-first-run.ts';
import { resolvers } from './resolvers.ts';

export const identity: SubgraphDefinition = {
  name: 'identity',
  schemaFile: new URL('./schema.graphql', import.meta.url),
  entities: [
    OrganizationTable, AccountUserTable, ApiKeyTable, OperatorTable, SessionTable, SignInAttemptTable, SecondFactorTable, RecoveryCodeTable, RecoveryCodeKeyTable,
    OauthClientTable, AuthorizationRequestTable, AuthorizationCodeTable, DeviceLoginTable, AuditRecordTable, ThrottleTable,
    InvitationTable, PasswordResetTable,
  ],
  migrationsFolder: new URL('./data/migrations/', import.meta.url),
  resolvers,
  jobs: (surroundings) => [purgeExpired(surroundings)],
  sealed: SEALED_COLUMNS,
  prepare: async ({ database, sealing, writeFirstRun }) => {
    await database.acrossOrganizations((em) => prepareRecoveryCodeKeys(em, sealing, now()));
    await createFirstRun(database, sealing, writeFirstRun);
  },
};
