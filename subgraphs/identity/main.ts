/** Identity: who is asking, and may they. */
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
    OrganizationTable, AccountUserTable, ApiKeyTable, OperatorTable, SessionTable, SignInAttemptTable, SecondFactorTable, RecoveryCodeTable,
    OauthClientTable, AuthorizationRequestTable, AuthorizationCodeTable, DeviceLoginTable, AuditRecordTable, ThrottleTable,
    InvitationTable, PasswordResetTable,
  ],
  migrationsFolder: new URL('./data/migrations/', import.meta.url),
  resolvers,
  jobs: (surroundings) => [purgeExpired(surroundings)],
  prepare: ({ database, serviceSecret, writeFirstRun }) => createFirstRun(database, serviceSecret, writeFirstRun),
};
