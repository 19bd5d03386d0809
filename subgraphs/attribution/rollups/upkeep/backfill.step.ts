/** The backfill of an organization's keys as a long operation: begun where one is needed, cancelled and resumed like any other (decision 25). */
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { query, queryOne } from '../../../../platform/database/sql.ts';
import { insertOperation, resumeOperation } from '../../../../platform/operations/operation-table.ts';
import type { OperationKind } from '../../../../platform/operations/run-operation.ts';
import { uuidsV7 } from '../../../../platform/uuid-v7.ts';
import { BACKFILL_FACTS_PER_STEP } from '../../config.ts';
import { backfillKey } from './backfill-key.step.ts';

const BACKFILL = 'backfill';
/** Organizations for which one is begun at once. */
const BEGUN_MAX = 10;

interface Parameters {
  readonly keys: readonly string[];
}

/** Counts facts, for each key again. Keys that are no longer wanted, or that start again, have nothing left to do. */
export const backfillKind: OperationKind = {
  kind: BACKFILL,
  step: (_, commit) =>
    commit(async (em, { organizationId, parameters, place, done }) => {
      const { keys } = parameters as Parameters;
      const index = (place as number | null) ?? 0;
      const key = keys[index];
      if (key === undefined) return { place: index, done, isFinished: true };
      const step = await backfillKey(em, { organizationId, key }, { factsMax: BACKFILL_FACTS_PER_STEP });
      const next = step === null || step.isReady ? index + 1 : index;
      return { place: next, done: done + (step?.facts ?? 0), isFinished: next === keys.length };
    }),
};

/** Where keys are to be backfilled that no operation is for, and none is to be swept before. Says whether there were any. */
export async function beginBackfills(em: EntityManager): Promise<boolean> {
  const wanted = await query<{ organizationId: string; key: string }>(
    em,
    `
    select organization_id, key from rolled_key
    where state = 'backfilling' and organization_id in (
      select distinct wanted.organization_id from rolled_key wanted
      where wanted.state = 'backfilling' and not exists (
          select from rolled_key clearing where clearing.organization_id = wanted.organization_id and clearing.state = 'clearing')
        and ${hasNoOperation('wanted')}
      order by 1 limit $2)
      and ${hasNoOperation('rolled_key')}
    order by 1, 2 for update skip locked`,
    [BACKFILL, BEGUN_MAX],
  );
  for (const [organizationId, ofOrganization] of Map.groupBy(wanted, (row) => row.organizationId)) {
    const [id = ''] = uuidsV7(1);
    const parameters: Parameters = { keys: ofOrganization.map(({ key }) => key) };
    const events = await countEvents(em, organizationId);
    const total = events === 0 ? null : events * ofOrganization.length;
    await insertOperation(em, { organizationId, id, kind: BACKFILL, parameters, total });
  }
  return wanted.length > 0;
}

/** `$1` is the kind. One that was stopped is still there for its keys. */
function hasNoOperation(key: string): string {
  return `not exists (select from operation o where o.organization_id = ${key}.organization_id and o.kind = $1
    and o.state <> 'finished' and (o.parameters -> 'keys') @> to_jsonb(${key}.key))`;
}

/** Someone wants the key again: what was stopped goes on. */
export async function resumeBackfills(em: EntityManager, organizationId: string, key: string): Promise<void> {
  const stopped = await query<{ id: string }>(
    em,
    `select id from operation where organization_id = $1 and kind = $2 and state in ('cancelled', 'failed')
       and (parameters -> 'keys') @> to_jsonb($3::text)`,
    [organizationId, BACKFILL, key],
  );
  for (const { id } of stopped) await resumeOperation(em, organizationId, id);
}

/** By the sums of all of them, which is near enough for a bar; 0 while these are being made themselves. */
async function countEvents(em: EntityManager, organizationId: string): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    em,
    `select coalesce(sum(event_count), 0)::float8 as count from rollup_day where organization_id = $1 and dimension_key = ''`,
    [organizationId],
  );
  return count;
}
