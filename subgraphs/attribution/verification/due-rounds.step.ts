/**
 * Starts verification rounds that are due, once a day. One round covers all organizations. On several nodes each
 * organization has its own, so that an unreachable node delays only its own organizations.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { lock } from '#platform/database/locks.ts';
import { coversAllOrganizations } from '#platform/database/nodes/distribution.ts';
import { byOrganization, lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import { NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import { unavailability } from '#platform/unavailability.ts';
import { VERIFY_ROUND_HOURS, VERIFY_ROUNDS_BEGUN } from '../config.ts';
import { beginRound, VERIFY } from './verify-books.step.ts';

/**
 * Condition on `operation`: a round that is running or started recently, however it was started. A cancelled round is
 * not started again before it is due.
 */
const isRecent = (kind: string) =>
  `kind = ${kind} and (state = 'running' or started_at > now() - interval '${VERIFY_ROUND_HOURS} hours')`;

const FIND_RECENT_ROUND = statement<object, { kind: string; organizationId: OrganizationId }>(
  `select 1 from operation where organization_id = :organizationId and ${isRecent(':kind')} limit 1`,
);

const READ_ROUND_AGE = statement<{ age: number | null }, { kind: string; noOrganization: string; coversAll: boolean }>(`
  select extract(epoch from now() - min(finished_at))::float8 as age from (
    select max(finished_at) as finished_at from operation
    where kind = :kind and state = 'finished' and (organization_id = :noOrganization) = :coversAll group by organization_id) round`);

export async function beginRounds(database: Database): Promise<void> {
  if (coversAllOrganizations(database.orm)) return database.system((tx) => beginWhenDue(tx, null));
  const due = await lookAcross<{ organizationId: OrganizationId }>(database, {
    tables: ['organization_home', 'operation'],
    text: (homes, operations) => `
      select organization_id from ${homes} home
      where organization_id <> $2::uuid and not exists (
        select 1 from ${operations} operation where operation.organization_id = home.organization_id and ${isRecent('$1')})
      order by organization_id limit ${VERIFY_ROUNDS_BEGUN}`,
    parameters: [VERIFY, NO_ORGANIZATION],
    compare: byOrganization,
  });
  for (const { organizationId } of due.slice(0, VERIFY_ROUNDS_BEGUN))
    await database
      .system((tx) => beginWhenDue(tx, organizationId))
      .catch((error: unknown) => {
        if (unavailability(error) === null) throw error;
      });
}

async function beginWhenDue(tx: WriteTransaction, organizationId: OrganizationId | null): Promise<void> {
  await lock(tx, 'verificationRounds');
  const recent = await tx.first(FIND_RECENT_ROUND, {
    kind: VERIFY,
    organizationId: organizationId ?? NO_ORGANIZATION,
  });
  if (recent === null) await beginRound(tx, organizationId, true);
}

/**
 * Seconds since the last round finished; on several nodes, for the organization that has waited longest. Null before
 * the first.
 */
export async function readRoundAge(tx: WriteTransaction): Promise<number | null> {
  const { age } = await tx.one(READ_ROUND_AGE, {
    kind: VERIFY,
    noOrganization: NO_ORGANIZATION,
    coversAll: coversAllOrganizations(tx),
  });
  return age;
}
