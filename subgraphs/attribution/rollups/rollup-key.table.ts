/**
 * How far the rollup of a key is. `clearing`: rows of an earlier life are being deleted. `backfilling`: new facts are
 * rolled up as they come, and a job adds those up to `boundary`. `ready`: reads come from the rollup. `unbounded`: too
 * many values in a day. `retired`: no longer wanted. The follower adds to keys that are `backfilling` or `ready`, and
 * to no others.
 */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { isDistributed } from '../../../platform/database/nodes/distribution.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query, queryOne } from '../../../platform/database/sql.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
import { BUILT_IN_KEYS, PAIR_MARK_SQL } from '../measures/rollup-keys.ts';

export const RollupKeyTable = defineEntity({
  name: 'RolledKey',
  tableName: 'rolled_key',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    key: p.text().primary(),
    state: p.enum(['clearing', 'backfilling', 'ready', 'unbounded', 'retired']),
    /** Last arrival that the backfill has to add; facts that arrived later are the follower's. */
    boundary: p.bigint().nullable(),
    /** Event time, event and sequence of the last fact that the backfill has added. */
    cursorTime: p.datetime(6).nullable(),
    cursorEventId: p.uuid().nullable(),
    cursorSequence: p.integer().nullable(),
    /** Whether rows of the key may be left in the rollups although it is `unbounded` or `retired`. */
    unswept: p.boolean(),
  },
  indexes: [{ name: 'rolled_key_work_index', properties: ['state', 'unswept'] }],
});

type RollupKey = InferEntity<typeof RollupKeyTable>;
export type RollupKeyState = RollupKey['state'];

/** Keys that take new facts. */
export const TAKES_FACTS = "state in ('backfilling', 'ready')";

/** Starts the built-in keys of organizations that are new here; one that has facts already is backfilled. */
export async function startBuiltInKeys(em: EntityManager, organizationIds: readonly string[]): Promise<void> {
  if (!isDistributed(em)) return void (await query(em, START_BUILT_IN_KEYS, [organizationIds, BUILT_IN_KEYS]));
  for (const organizationId of organizationIds) await query(em, START_AT_HOME, [organizationId, BUILT_IN_KEYS]);
}

/** Both are SQL: the rows of the organizations, and the id of one of them. */
function startKeys(organizations: string, id: string): string {
  return `
    insert into rolled_key (organization_id, key, state, unswept)
    select organization.organization_id, key,
      case when exists (select 1 from cost_fact fact where fact.organization_id = ${id})
        then 'clearing' else 'ready' end, false
    from ${organizations} cross join unnest($2::text[]) as built_in (key)
    order by 1, 2
    on conflict (organization_id, key) do nothing`;
}

const START_BUILT_IN_KEYS = startKeys(
  'unnest($1::uuid[]) as organization (organization_id)',
  'organization.organization_id',
);
const START_AT_HOME = startKeys(
  '(select organization_id from organization_home where organization_id = $1) as organization',
  '$1',
);

/** A key and a UTC day in which it got values that were new on that day. */
export interface GrownDay {
  readonly organizationId: string;
  readonly key: string;
  readonly day: string;
}

/** SQL that lists the grown days of what `addToRollupDay` gives, as JSON. */
export function grownDays(addedDays: string): string {
  return `(
    select coalesce(json_agg(distinct
      jsonb_build_object('organizationId', organization_id, 'key', dimension_key, 'day', bucket)), '[]')
    from ${addedDays} where is_new)`;
}

/**
 * Stops rolling up keys with more than `valuesMax` values in one of the days. A key whose row is held by the backfill
 * is left for the next time.
 */
export async function stopUnboundedKeys(
  em: EntityManager,
  grown: readonly GrownDay[],
  valuesMax: number,
): Promise<void> {
  const [first] = grown;
  if (!first) return;
  const parameters = [JSON.stringify(grown), valuesMax];
  if (isDistributed(em)) await query(em, STOP_AT_HOME, [...parameters, first.organizationId]);
  else await query(em, STOP_UNBOUNDED, parameters);
}

/** `organization` and `isOne` are SQL, of one or of each of the grown: whose day it is, and whether a row is of the list that follows. */
function stopUnbounded(organization: string, isOne: (list: string) => string): string {
  return `
    with unbounded as (
      select distinct "organizationId" as organization_id, key
      from json_to_recordset($1::json) as grown ("organizationId" uuid, key text, day timestamptz)
      where (select count(*) from (
        select 1 from rollup_day
        where organization_id = ${organization} and dimension_key = grown.key and bucket = grown.day
        limit $2::bigint + 1) as value) > $2::bigint
    ), held as (
      select organization_id, key from rolled_key
      where ${isOne('unbounded')} and ${TAKES_FACTS}
      for update skip locked
    )
    update rolled_key set state = 'unbounded', unswept = true, boundary = null
    where ${isOne('held')}`;
}

const STOP_UNBOUNDED = stopUnbounded(
  'grown."organizationId"',
  (list) => `(organization_id, key) in (select organization_id, key from ${list})`,
);
const STOP_AT_HOME = stopUnbounded('$3', (list) => `organization_id = $3 and key in (select key from ${list})`);

/** How far the rollups of an organization's keys are. */
export async function readKeyStates(
  em: EntityManager,
  organizationId: string,
  keys: readonly string[],
): Promise<Map<string, RollupKeyState>> {
  const rows = await query<{ key: string; state: RollupKeyState }>(
    em,
    'select key, state from rolled_key where organization_id = $1 and key = any($2::text[])',
    [organizationId, keys],
  );
  return new Map(rows.map(({ key, state }) => [key, state]));
}

/**
 * Asks for the rollup of a key. One that was given up or retired starts again; one that is there or under way is left
 * alone.
 */
export async function wantKey(em: EntityManager, organizationId: string, key: string): Promise<void> {
  await query(
    em,
    `
    insert into rolled_key (organization_id, key, state, unswept) values ($1, $2, 'clearing', false)
    on conflict (organization_id, key) do update set state = 'clearing', unswept = false,
      boundary = null, cursor_time = null, cursor_event_id = null, cursor_sequence = null
    where rolled_key.state in ('retired', 'unbounded')`,
    [organizationId, key],
  );
}

/** Has every wanted key rolled up from the beginning, of one organization or of all. */
export async function clearKeys(em: EntityManager, organizationId: string | null): Promise<void> {
  await query(
    em,
    `
    update rolled_key set state = 'clearing', boundary = null, cursor_time = null, cursor_event_id = null, cursor_sequence = null
    where ($1::uuid is null or organization_id = $1) and ${TAKES_FACTS}`,
    [organizationId],
  );
}

/** Gives the rollup of a key up; its rows are swept in the background. */
export async function retireKey(em: EntityManager, organizationId: string, key: string): Promise<void> {
  await query(
    em,
    `
    update rolled_key set state = 'retired', unswept = true, boundary = null
    where organization_id = $1 and key = $2`,
    [organizationId, key],
  );
}

/** Gives the pairs up that a key is one of. */
export async function retirePairsOf(em: EntityManager, organizationId: string, key: string): Promise<void> {
  await query(
    em,
    `
    update rolled_key set state = 'retired', unswept = true, boundary = null
    where organization_id = $1 and key ^@ ${PAIR_MARK_SQL} and $2::text in (split_part(key, ${PAIR_MARK_SQL}, 2), split_part(key, ${PAIR_MARK_SQL}, 3))`,
    [organizationId, key],
  );
}

/** Whether every key that is wanted is rolled up, of one organization or of all. */
export async function isBackfilled(em: EntityManager, organizationId: string | null): Promise<boolean> {
  const { done } = await queryOne<{ done: boolean }>(
    em,
    `select count(*) = 0 as done from rolled_key
     where ($1::uuid is null or organization_id = $1) and state in ('clearing', 'backfilling')`,
    [organizationId],
  );
  return done;
}

/** Every organization that has facts or has asked for a key. */
export async function listOrganizations(em: EntityManager): Promise<string[]> {
  const rows = await query<{ id: string }>(em, 'select distinct organization_id as id from rolled_key order by 1');
  return rows.map(({ id }) => id);
}
