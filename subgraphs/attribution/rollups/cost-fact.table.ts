/**
 * Costs as costing reported them, one row per ledger entry, append-only. Every table of sums can be rebuilt from it.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { arrayBytes, columnBytes, jsonArray } from '#platform/database/array-literal.ts';
import type { Home } from '#platform/database/nodes/organization-home.ts';
import { statement } from '#platform/database/statement.ts';
import { arrayParameters, columnList, columnsOf } from '#platform/database/columns.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { mapInSlices } from '#platform/slices.ts';
import type { ChargeLine } from '#schema/priced-feed.ts';
import { byCost, byTokens, isRequired } from '#schema/token-classes.ts';
import { TASK_INDEX } from '../outcomes/owner.query.ts';
import type { ArrivingFact } from './arriving-fact.ts';
import { MODEL_KEY, PAIR_MARK_SQL, TOTAL_KEY, UNASSIGNED } from '../measures/rollup-keys.ts';

const count = () => p.bigint();
const perhapsCount = () => p.bigint().nullable();
const tokenProperties = byTokens<ReturnType<typeof count>, ReturnType<typeof perhapsCount>>((name) =>
  isRequired(name) ? count() : perhapsCount(),
);
const amount = () => p.decimal().precision(30).scale(15);
const perhapsAmount = () => amount().nullable();
const costProperties = byCost<ReturnType<typeof amount>, ReturnType<typeof perhapsAmount>>((name) =>
  isRequired(name) ? amount() : perhapsAmount(),
);

export const CostFactTable = defineEntity({
  name: 'CostFact',
  tableName: 'cost_fact',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    eventId: p.uuid().primary(),
    sequence: p.integer().primary(),
    eventTime: p.datetime(6),
    endUserId: p.uuid().nullable(),
    modelSlug: p.text(),
    providerId: p.text(),
    providerSlug: p.text(),
    providerName: p.text(),
    /** True if the event named its provider. Null (not recorded) counts as true. */
    providerReported: p.boolean().nullable(),
    ...tokenProperties,
    totalCost: amount(),
    ...costProperties,
    /** Null for a fact that was delivered without charges, until it is compared with the ledger. */
    charges: p.json<readonly ChargeLine[]>().nullable(),
    dimensions: p.json<Readonly<Record<string, string>>>(),
    sessionId: p.text().nullable(),
    spanId: p.text().nullable(),
    parentSpanId: p.text().nullable(),
    /** Number of the follower's transaction that wrote the fact. */
    arrival: p.bigint(),
  },
  indexes: [
    { name: 'cost_fact_time_index', properties: ['organizationId', 'eventTime'] },
    { name: 'cost_fact_end_user_index', properties: ['organizationId', 'endUserId', 'eventTime'] },
    { name: 'cost_fact_arrival_index', properties: ['organizationId', 'arrival'] },
    { name: 'cost_fact_session_index', properties: ['organizationId', 'sessionId'], where: 'session_id is not null' },
    { name: 'cost_fact_task_index', expression: TASK_INDEX },
  ],
});

/** All columns except the transaction's number are delivered with the fact. */
const ARRIVING = columnsOf(CostFactTable).filter(({ property }) => property !== 'arrival');
const RECORD = ARRIVING.map(({ property, type }) => `"${property}" ${type}`).join(', ');

/** Columns given per fact. The organization is given as an index into the list of organizations. */
const OWN = ARRIVING.filter(({ property }) => property !== 'organizationId');
/** `json`, because a `jsonb[]` would be parsed twice: once as part of the array, once per element. */
const OWN_ARRAYS = arrayParameters(
  OWN.map(({ property, type }) => ({ property, type: type === 'jsonb' ? 'json' : type })),
);

/**
 * Inserts the facts of the input, `NewFacts`, and returns the new rows; redelivered facts are ignored. Facts are passed
 * by column: JSON records took twice the time, mostly for names that every fact repeats.
 */
export function insertNewFacts(home: Home): string {
  const values = OWN.map(({ name, type }) => `fact.${name}${type === 'jsonb' ? '::jsonb' : ''}`).join(', ');
  const select =
    home === null
      ? `(:organizationIds::uuid[])[fact.place], (:arrivals::bigint[])[fact.place], ${values}
    from unnest(:places::text::int[], ${OWN_ARRAYS}) as fact (place, ${columnList(OWN)})`
      : `home.organization_id, :arrival::bigint, ${values}
    from organization_home home cross join unnest(${OWN_ARRAYS}) as fact (${columnList(OWN)})
    where home.organization_id = ${home}`;
  return `
    insert into cost_fact (organization_id, arrival, ${columnList(OWN)})
    select ${select}
    on conflict (organization_id, event_id, sequence) do nothing
    returning *`;
}

/** New facts as one array for each column, and the organizations that they belong to. */
export interface NewFacts extends Readonly<Record<string, unknown>> {
  readonly organizationIds: readonly OrganizationId[];
  readonly arrivals: readonly string[];
  /** For each fact, the position of its organization, from 1. */
  readonly places: Buffer | null;
  /** The only organization, and its arrival; used only on several nodes. */
  readonly organizationId: OrganizationId;
  readonly arrival: string;
}

/** `arrivals` gives the transaction's number for each organization. There is at least one fact. */
export async function newFacts(
  facts: readonly ArrivingFact[],
  arrivals: ReadonlyMap<string, string>,
): Promise<NewFacts> {
  const places = new Map<string, number>();
  const placeOf = facts.map(({ organizationId }) => {
    const place = places.get(organizationId) ?? places.size + 1;
    places.set(organizationId, place);
    return place;
  });
  const rows = facts as readonly object[] as readonly Readonly<Record<string, string | number | boolean | null>>[];
  const columns = await mapInSlices(OWN, ({ property, type }) =>
    type === 'jsonb'
      ? jsonArray(rows.map((row) => (row[property] === undefined ? null : JSON.stringify(row[property]))))
      : columnBytes(rows, property),
  );
  const organizationIds = [...places.keys()];
  const numbers = organizationIds.map((id) => arrivals.get(id)!);
  return {
    ...Object.fromEntries(OWN.map(({ property }, index) => [property, columns[index]])),
    organizationIds,
    arrivals: numbers,
    places: arrayBytes(placeOf),
    organizationId: organizationIds[0]!,
    arrival: numbers[0]!,
  };
}

/** Fails if the database cannot read the facts of a JSON array. */
export const READ_FACTS = statement<object, { facts: string }>(
  `select count(*) from json_to_recordset(:facts::json) as fact (${RECORD})`,
);

/** Columns that are cleared when data is removed from an event (`reduce-facts.step.ts`). */
const REDUCIBLE = ['end_user_id', 'dimensions', 'session_id', 'span_id', 'parent_span_id'];

/**
 * SQL: true if the fact `kept` is missing from the JSON array `json`, or differs from its entry there. Reducible
 * columns of a reduced fact are ignored: the stored fact may hold more, because it is rolled up by them.
 */
export function isUnlike(kept: string, json: string): string {
  // Facts written before this column existed count as reported.
  const value = (column: string) => (column.endsWith('provider_reported') ? `coalesce(${column}, true)` : column);
  const names = ARRIVING.map(({ name }) => name);
  const row = (side: string, isReducible: boolean) => {
    const columns = names.filter((name) => REDUCIBLE.includes(name) === isReducible);
    return `row(${columns.map((name) => value(`${side}.${name}`)).join(', ')})`;
  };
  return `not exists (
    select 1 from (select * from json_to_recordset(${json}::json) as fact (${RECORD}, "isReduced" boolean)) as expected (${columnList(ARRIVING)}, is_reduced)
    where expected.event_id = ${kept}.event_id and expected.sequence = ${kept}.sequence
      and ${row('expected', false)} is not distinct from ${row(kept, false)}
      and (expected.is_reduced or ${row('expected', true)} is not distinct from ${row(kept, true)}))`;
}

/** Columns of `cost_fact` that make up the value of the model key. */
export const MODEL_PARTS = [
  'provider_id',
  'provider_slug',
  'provider_name',
  'model_slug',
  'provider_reported',
] as const;

/** SQL for the value of these columns (`rollup-keys.ts`). */
export const MODEL_VALUE = `(jsonb_build_array(provider_id, provider_slug, provider_name, model_slug)
  || case when provider_reported is false then '[false]'::jsonb else '[]'::jsonb end)::text`;

/**
 * SQL over columns of `cost_fact` for a fact's value of a rollup key. `key` is SQL for the key as in `rolled_key`.
 * The value of the model key contains everything that is needed to display providers and models.
 */
export function rollupValueOf(key: string): string {
  return `coalesce(${ownValueOf(key)}, '${UNASSIGNED}')`;
}

/** SQL for a fact's value of a rollup key; null for a fact without the key. */
function ownValueOf(key: string): string {
  return `case when ${key} = '${TOTAL_KEY}' then '' when ${key} ^@ ${PAIR_MARK_SQL}
    then jsonb_build_array(${valueOfPart(key, 2)}, ${valueOfPart(key, 3)})::text else ${valueOfOne(key)} end`;
}

/** SQL for the value of one of a pair's keys. */
function valueOfPart(pair: string, place: 2 | 3): string {
  return `coalesce(${valueOfOne(`split_part(${pair}, ${PAIR_MARK_SQL}, ${place})`)}, '${UNASSIGNED}')`;
}

function valueOfOne(key: string): string {
  return `case when ${key} = '${MODEL_KEY}' then ${MODEL_VALUE} else dimensions ->> ${key} end`;
}
