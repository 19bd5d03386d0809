/** Advisory locks: one table of their numbers, so that no two purposes share one. */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { WriteTransaction } from './transaction.ts';
import { type Parameters, statement } from './statement.ts';

export const LOCKS = {
  migrations: 727_000,
  roles: 727_001,
  firstRun: 727_002,
  recoveryCodeKeys: 727_003,
  operators: 727_004,
  rates: 727_005,
  verificationRounds: 727_006,
} as const;

/** Locks of one organization each. */
const ORGANIZATION_LOCKS = {
  allocations: 727_110,
  providerCredits: 727_112,
  commitments: 727_113,
  alertChannels: 727_100,
  alertRules: 727_101,
  apiKeys: 727_102,
  dimensions: 727_103,
  outcomes: 727_109,
  erasures: 727_104,
  exportSchedules: 727_111,
  notes: 727_114,
  savedViews: 727_115,
  repricings: 727_105,
  revenueClosing: 727_106,
  sample: 727_107,
  usageProfiles: 727_108,
} as const;

const EXCLUSIVE = statement(
  ({ number }: Parameters<{ number: number }>) => sql<object>`select pg_advisory_xact_lock(${number}::bigint)`,
);
const SHARED = statement(
  ({ number }: Parameters<{ number: number }>) => sql<object>`select pg_advisory_xact_lock_shared(${number}::bigint)`,
);

interface OrganizationLock {
  readonly number: number;
  readonly organizationId: OrganizationId;
}

// Two organizations whose ids have the same hash wait for each other, which is rare and harmless.
const EXCLUSIVE_OF_ORGANIZATION = statement(
  ({ number, organizationId }: Parameters<OrganizationLock>) =>
    sql<object>`select pg_advisory_xact_lock(${number}::int, hashtext(${organizationId}::text))`,
);
const SHARED_OF_ORGANIZATION = statement(
  ({ number, organizationId }: Parameters<OrganizationLock>) =>
    sql<object>`select pg_advisory_xact_lock_shared(${number}::int, hashtext(${organizationId}::text))`,
);

/** Holds the lock until the transaction ends. A shared lock only waits for exclusive ones. */
export async function lock(
  tx: WriteTransaction,
  name: keyof typeof LOCKS,
  mode: 'exclusive' | 'shared' = 'exclusive',
): Promise<void> {
  await tx.run(mode === 'shared' ? SHARED : EXCLUSIVE, { number: LOCKS[name] });
}

/** Holds the organization's lock until the transaction ends. */
export async function lockOrganization(
  tx: WriteTransaction,
  name: keyof typeof ORGANIZATION_LOCKS,
  organizationId: OrganizationId,
  mode: 'exclusive' | 'shared' = 'exclusive',
): Promise<void> {
  const text = mode === 'shared' ? SHARED_OF_ORGANIZATION : EXCLUSIVE_OF_ORGANIZATION;
  await tx.run(text, { number: ORGANIZATION_LOCKS[name], organizationId });
}
