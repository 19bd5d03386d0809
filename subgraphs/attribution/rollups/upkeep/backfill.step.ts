/**
 * Backfill of an organization's keys as a long operation. It starts when needed, and is cancelled and resumed like any
 * other (decision 25).
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { inTurn, lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import { insertOperation, resumeOperation } from '#platform/operations/operation-table.ts';
import type { OperationKind } from '#platform/operations/run-operation.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { BACKFILL_FACTS_PER_STEP } from '../../config.ts';
import { backfillKey } from './backfill-key.step.ts';

const BACKFILL = 'backfill';
/** Maximum number of organizations for which a backfill starts at once. */
const BEGUN_MAX = 10;

interface Parameters {
  readonly keys: readonly string[];
}

/**
 * Progress counts each fact once per key. A key is skipped if it is no longer wanted, or is being cleared to start over.
 */
export const backfillKind: OperationKind = {
  kind: BACKFILL,
  step: (_, commit) =>
    commit(async (tx, { organizationId, parameters, place, done }) => {
      const { keys } = parameters as Parameters;
      const index = (place as number | null) ?? 0;
      const key = keys[index];
      if (key === undefined) return { place: index, done, isFinished: true };
      const step = await backfillKey(tx, { organizationId, key }, { factsMax: BACKFILL_FACTS_PER_STEP });
      const next = step === null || step.isReady ? index + 1 : index;
      return { place: next, done: done + (step?.facts ?? 0), isFinished: next === keys.length };
    }),
};

/**
 * Starts backfills for organizations that have keys to backfill, but no operation for these keys and no key to clear
 * first. Returns true if any was started.
 */
export async function beginBackfills(database: Database): Promise<boolean> {
  const organizations = await lookAcross<{ organizationId: OrganizationId }>(database, {
    tables: ['rolled_key', 'operation'],
    text: (keys, operations) => `
      select distinct wanted.organization_id from ${keys} wanted
      where wanted.state = 'backfilling' and not exists (
          select 1 from ${keys} clearing where clearing.organization_id = wanted.organization_id and clearing.state = 'clearing')
        and ${hasNoOperation('wanted', operations, '$1')}
      order by 1 limit $2`,
    parameters: [BACKFILL, BEGUN_MAX],
    compare: inTurn(''),
  });
  let begun = 0;
  for (const { organizationId } of organizations)
    begun += await database.system((tx) => beginBackfill(tx, organizationId));
  return begun > 0;
}

const LOCK_WAITING_KEYS = statement<
  { key: string },
  { readonly kind: string; readonly organizationId: OrganizationId }
>(`
  select key from rolled_key where organization_id = :organizationId and state = 'backfilling'
    and ${hasNoOperation('rolled_key', 'operation', ':kind')}
  order by key for update skip locked`);

/** Returns the number of keys. */
async function beginBackfill(tx: WriteTransaction, organizationId: OrganizationId): Promise<number> {
  const wanted = await tx.all(LOCK_WAITING_KEYS, { kind: BACKFILL, organizationId });
  if (wanted.length === 0) return 0;
  const [id = ''] = uuidsV7(1);
  const parameters: Parameters = { keys: wanted.map(({ key }) => key) };
  const events = await countEvents(tx, organizationId);
  const total = events === 0 ? null : events * wanted.length;
  await insertOperation(tx, { organizationId, id, kind: BACKFILL, parameters, total });
  return wanted.length;
}

/**
 * The parameters are SQL: the key's row, the table of operations and their kind. A stopped operation still covers its
 * keys.
 */
function hasNoOperation(key: string, operations: string, kind: string): string {
  return `not exists (select 1 from ${operations} o where o.organization_id = ${key}.organization_id and o.kind = ${kind}
    and o.state <> 'finished' and (o.parameters -> 'keys') @> to_jsonb(${key}.key))`;
}

const FIND_STOPPED_BACKFILLS = statement<
  { id: string },
  { readonly organizationId: OrganizationId; readonly kind: string; readonly key: string }
>(`
  select id from operation where organization_id = :organizationId and kind = :kind and state in ('cancelled', 'failed')
    and (parameters -> 'keys') @> to_jsonb(:key::text)`);

/** The key is wanted again: resumes stopped backfills. */
export async function resumeBackfills(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  key: string,
): Promise<void> {
  const stopped = await tx.all(FIND_STOPPED_BACKFILLS, { organizationId, kind: BACKFILL, key });
  for (const { id } of stopped) await resumeOperation(tx, organizationId, id);
}

const COUNT_EVENTS = statement<{ count: number }, { readonly organizationId: OrganizationId }>(
  `select coalesce(sum(event_count), 0)::float8 as count from rollup_day where organization_id = :organizationId and dimension_key = ''`,
);

/**
 * Estimated from the total's daily sums, which is accurate enough for a progress bar; 0 while these are being built.
 */
async function countEvents(tx: WriteTransaction, organizationId: OrganizationId): Promise<number> {
  const { count } = await tx.one(COUNT_EVENTS, { organizationId });
  return count;
}
