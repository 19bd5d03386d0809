/**
 * State of a key's rollup. `clearing`: old rows are being deleted. `backfilling`: new facts are rolled up as they
 * arrive, and a job adds those up to `boundary`. `ready`: reads use the rollup. `unbounded`: too many values in a day.
 * `retired`: no longer wanted. The follower adds facts only to keys that are `backfilling` or `ready`.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import { organizationsOfStatement } from '#platform/database/nodes/organization-rows.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { BUILT_IN_KEYS, PAIR_MARK_SQL } from '../measures/rollup-keys.ts';

export const RollupKeyTable = defineEntity({
  name: 'RolledKey',
  tableName: 'rolled_key',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    key: p.text().primary(),
    state: p.enum(['clearing', 'backfilling', 'ready', 'unbounded', 'retired']),
    /** Last arrival that the backfill has to add; the follower adds later facts. */
    boundary: p.bigint().nullable(),
    /** Event time, event and sequence of the last fact that the backfill has added. */
    cursorTime: p.datetime(6).nullable(),
    cursorEventId: p.uuid().nullable(),
    cursorSequence: p.integer().nullable(),
    /** True if the rollups may still contain rows of the key although it is `unbounded` or `retired`. */
    unswept: p.boolean(),
  },
  indexes: [{ name: 'rolled_key_work_index', properties: ['state', 'unswept'] }],
});

type RollupKey = InferEntity<typeof RollupKeyTable>;
export type RollupKeyState = RollupKey['state'];

/** Keys that take new facts. */
export const TAKES_FACTS = "state in ('backfilling', 'ready')";

/** Both parameters are SQL: the rows of the organizations, and the id of one of them. */
function startKeys(organizations: string, id: string): string {
  return `
    insert into rolled_key (organization_id, key, state, unswept)
    select organization.organization_id, key,
      case when exists (select 1 from cost_fact fact where fact.organization_id = ${id})
        then 'clearing' else 'ready' end, false
    from ${organizations} cross join unnest(:keys::text[]) as built_in (key)
    order by 1, 2
    on conflict (organization_id, key) do nothing`;
}

const START_BUILT_IN_KEYS = statement<
  object,
  { organizationIds: readonly OrganizationId[]; organizationId: OrganizationId; keys: readonly string[] }
>({
  onOneNode: startKeys(
    'unnest(:organizationIds::uuid[]) as organization (organization_id)',
    'organization.organization_id',
  ),
  onSeveralNodes: startKeys(
    '(select organization_id from organization_home where organization_id = :organizationId) as organization',
    ':organizationId',
  ),
});

/** Creates the built-in keys of new organizations. If an organization already has facts, its keys are backfilled. */
export async function startBuiltInKeys(
  tx: WriteTransaction,
  organizationIds: readonly OrganizationId[],
): Promise<void> {
  for (const some of organizationsOfStatement(tx, organizationIds))
    await tx.run(START_BUILT_IN_KEYS, { organizationIds: some, organizationId: some[0]!, keys: BUILT_IN_KEYS });
}

/** A key and a UTC day on which new values of the key appeared. */
export interface GrownDay {
  readonly organizationId: OrganizationId;
  readonly key: string;
  readonly day: string;
}

/** SQL that lists the grown days in the result of `addToRollupDay`, as JSON. */
export function grownDays(addedDays: string): string {
  return `(
    select coalesce(json_agg(distinct
      jsonb_build_object('organizationId', organization_id, 'key', dimension_key, 'day', bucket)), '[]')
    from ${addedDays} where is_new)`;
}

/**
 * Stops rolling up keys with more than `valuesMax` values on one of the days. A key whose row is locked by the
 * backfill is skipped this time.
 */
export async function stopUnboundedKeys(
  tx: WriteTransaction,
  grown: readonly GrownDay[],
  valuesMax: number,
): Promise<void> {
  const [first] = grown;
  if (!first) return;
  await tx.run(STOP_UNBOUNDED, { grown: JSON.stringify(grown), valuesMax, organizationId: first.organizationId });
}

/**
 * `organization` is SQL for the organization's id: a parameter, or the column of each grown day. `isOne` returns SQL
 * that is true for rows in a list.
 */
function stopUnbounded(organization: string, isOne: (list: string) => string): string {
  return `
    with unbounded as (
      select distinct "organizationId" as organization_id, key
      from json_to_recordset(:grown::json) as grown ("organizationId" uuid, key text, day timestamptz)
      where (select count(*) from (
        select 1 from rollup_day
        where organization_id = ${organization} and dimension_key = grown.key and bucket = grown.day
        limit :valuesMax::bigint + 1) as value) > :valuesMax::bigint
    ), held as (
      select organization_id, key from rolled_key
      where ${isOne('unbounded')} and ${TAKES_FACTS}
      for update skip locked
    )
    update rolled_key set state = 'unbounded', unswept = true, boundary = null
    where ${isOne('held')}`;
}

const STOP_UNBOUNDED = statement<object, { grown: string; valuesMax: number; organizationId: OrganizationId }>({
  onOneNode: stopUnbounded(
    'grown."organizationId"',
    (list) => `(organization_id, key) in (select organization_id, key from ${list})`,
  ),
  onSeveralNodes: stopUnbounded(
    ':organizationId',
    (list) => `organization_id = :organizationId and key in (select key from ${list})`,
  ),
});

const READ_KEY_STATES = statement<
  { key: string; state: RollupKeyState },
  { organizationId: OrganizationId; keys: readonly string[] }
>('select key, state from rolled_key where organization_id = :organizationId and key = any(:keys::text[])');

/** States of an organization's rollup keys. */
export async function readKeyStates(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  keys: readonly string[],
): Promise<Map<string, RollupKeyState>> {
  const rows = await tx.all(READ_KEY_STATES, { organizationId, keys });
  return new Map(rows.map(({ key, state }) => [key, state]));
}

interface OneKey {
  readonly organizationId: OrganizationId;
  readonly key: string;
}

const WANT_KEY = statement<object, OneKey>(`
  insert into rolled_key (organization_id, key, state, unswept) values (:organizationId, :key, 'clearing', false)
  on conflict (organization_id, key) do update set state = 'clearing', unswept = false,
    boundary = null, cursor_time = null, cursor_event_id = null, cursor_sequence = null
  where rolled_key.state in ('retired', 'unbounded')`);

/**
 * Requests the rollup of a key. An unbounded or retired key starts over; a key that is ready or in progress is left
 * unchanged.
 */
export async function wantKey(tx: WriteTransaction, organizationId: OrganizationId, key: string): Promise<void> {
  await tx.run(WANT_KEY, { organizationId, key });
}

const CLEAR_KEYS = statement<object, { organizationId: OrganizationId | null }>(`
  update rolled_key set state = 'clearing', boundary = null, cursor_time = null, cursor_event_id = null, cursor_sequence = null
  where (:organizationId::uuid is null or organization_id = :organizationId) and ${TAKES_FACTS}`);

/** Rolls up every wanted key from the beginning, for one organization or for all. */
export async function clearKeys(tx: WriteTransaction, organizationId: OrganizationId | null): Promise<void> {
  await tx.run(CLEAR_KEYS, { organizationId });
}

const RETIRE_KEY = statement<object, OneKey>(`
  update rolled_key set state = 'retired', unswept = true, boundary = null
  where organization_id = :organizationId and key = :key`);

/** Retires a key's rollup; its rows are deleted in the background. */
export async function retireKey(tx: WriteTransaction, organizationId: OrganizationId, key: string): Promise<void> {
  await tx.run(RETIRE_KEY, { organizationId, key });
}

const RETIRE_PAIRS = statement<object, OneKey>(`
  update rolled_key set state = 'retired', unswept = true, boundary = null
  where organization_id = :organizationId and key ^@ ${PAIR_MARK_SQL}
    and :key::text in (split_part(key, ${PAIR_MARK_SQL}, 2), split_part(key, ${PAIR_MARK_SQL}, 3))`);

/** Retires the pairs that contain a key. */
export async function retirePairsOf(tx: WriteTransaction, organizationId: OrganizationId, key: string): Promise<void> {
  await tx.run(RETIRE_PAIRS, { organizationId, key });
}

const IS_BACKFILLED = statement<{ done: boolean }, { organizationId: OrganizationId | null }>(
  `select count(*) = 0 as done from rolled_key
   where (:organizationId::uuid is null or organization_id = :organizationId) and state in ('clearing', 'backfilling')`,
);

/** True if every wanted key is rolled up, for one organization or for all. */
export async function isBackfilled(tx: WriteTransaction, organizationId: OrganizationId | null): Promise<boolean> {
  return (await tx.one(IS_BACKFILLED, { organizationId })).done;
}

const LIST_ORGANIZATIONS = statement<{ id: string }>(
  'select distinct organization_id as id from rolled_key order by 1',
);

/** All organizations that have facts or have requested a key. */
export async function listOrganizations(tx: WriteTransaction): Promise<string[]> {
  return (await tx.all(LIST_ORGANIZATIONS, {})).map(({ id }) => id);
}
