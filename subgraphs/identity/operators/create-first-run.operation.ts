/** Sets up the first start: an operator, an organization with its owner, and three keys. */
import { lock } from '#platform/database/locks.ts';
import { now } from '#platform/clock.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { Sealing } from '#platform/seal.ts';
import { randomBytes, randomUuid } from '#platform/random.ts';
import { AccountUserTable } from '../accounts/account-user.table.ts';
import { issueApiKey } from '../keys/issue-api-key.step.ts';
import { issueOperatorToken } from './issue-operator-token.step.ts';
import { anyOrganizationExists, OrganizationTable } from '../accounts/organization.table.ts';
import { hashPassword } from '../secrets/hash-password.ts';
import { presetScopes } from '../keys/chosen-scopes.ts';

/** The fields of `first-run.json` except `url`. */
export interface FirstRun {
  readonly operator_token: string;
  readonly owner_email: string;
  readonly owner_password: string;
  readonly organization_id: string;
  readonly live_read_key: string;
  readonly live_ingest_key: string;
  readonly test_ingest_key: string;
}

const OWNER_EMAIL = 'owner@example.com';
const FIRST_OPERATOR = 'first-run';

/**
 * Does nothing if an organization exists. The secrets are written before the transaction commits: if the process dies
 * in between, the next start replaces the file, so there are never keys whose secrets are lost.
 */
export async function createFirstRun(
  database: Database,
  sealing: Sealing,
  write: (firstRun: FirstRun) => void,
): Promise<void> {
  if (await database.system(anyOrganizationExists)) return;
  const ownerPassword = randomBytes(18).toString('base64url');
  const passwordHash = await hashPassword(ownerPassword, randomBytes(16));
  await database.system(async (tx) => {
    await lock(tx, 'firstRun');
    if (await anyOrganizationExists(tx)) return;
    const createdAt = now();
    const organizationId = randomUuid();
    const accountUserId = randomUuid();
    const { token: operatorToken } = await issueOperatorToken(tx, { name: FIRST_OPERATOR, createdBy: null, createdAt });
    await tx.em.insert(OrganizationTable, { organizationId, name: 'Default', createdAt });
    await tx.em.insert(AccountUserTable, {
      organizationId,
      id: accountUserId,
      email: OWNER_EMAIL,
      passwordHash,
      role: 'owner',
      createdAt,
      disabledAt: null,
    });
    const issue = async (name: string, environment: 'live' | 'test', preset: string) =>
      (
        await issueApiKey(
          tx,
          {
            organizationId,
            accountUserId,
            createdBy: accountUserId,
            name,
            description: null,
            environment,
            scopes: presetScopes(preset),
            createdAt,
            expiresAt: null,
          },
          sealing,
        )
      ).secret;
    const liveReadKey = await issue('Default read', 'live', 'read');
    const liveIngestKey = await issue('Default ingestion', 'live', 'ingest');
    const testIngestKey = await issue('Default test ingestion', 'test', 'ingest');
    write({
      operator_token: operatorToken,
      owner_email: OWNER_EMAIL,
      owner_password: ownerPassword,
      organization_id: organizationId,
      live_read_key: liveReadKey,
      live_ingest_key: liveIngestKey,
      test_ingest_key: testIngestKey,
    });
  });
}
