/**
 * Reads a key's figures over any two instants in one statement, and so from one snapshot: facts of the broken hours, whole hours,
 * whole days. Where the key's rollup is not ready, the same answer comes from the facts alone.
 */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { MODEL_KEY, PROVIDER_KEY, rolledKeyOf } from '../rules/rolled-keys.ts';
import { type Span, splitWindow } from '../rules/split-window.ts';
import { rolledValueOf } from './cost-fact.ts';
import { FACT_MEASURES, MEASURES } from './measure.ts';

export interface WindowQuestion {
  readonly organizationId: string;
  readonly key: string;
  readonly window: Span;
}

/**
 * A statement over `rows`: one for each fact, hour or day, with its `value` of the key, the instant `at` on which it begins, and
 * the measures. `parameter` numbers the question's own parameters, from 0. The answer must not use the column `is_ready`.
 */
export interface WindowStatement {
  text(rows: string, parameter: (index: number) => string): string;
  readonly parameters?: readonly unknown[];
  /** `order by` of the answer's columns. */
  readonly order?: string;
}

/** Gives the rows of the statement's answer. */
export async function readWindow<Row>(em: EntityManager, question: WindowQuestion, statement: WindowStatement): Promise<Row[]> {
  return (await readFromRollups<Row>(em, question, statement)) ?? readFromFacts<Row>(em, question, statement);
}

/** Null where the rollup is not ready: found out in the very snapshot that is read. */
async function readFromRollups<Row>(em: EntityManager, { organizationId, key, window }: WindowQuestion, statement: WindowStatement): Promise<Row[] | null> {
  const rows = await query<Row & { is_ready: boolean | null; is_there: boolean | null }>(em, `
    with readiness as materialized (
      select (select state from rolled_key where organization_id = $1 and key = $2) = 'ready' as is_ready
    ), answer as (${statement.text(`(${ROLLED_ROWS})`, (index) => `$${9 + index}`)})
    select * from readiness left join (select true as is_there, * from answer) as answer on true ${orderBy(statement)}`,
  [organizationId, rolledKeyOf(key), ...splitWindow(window, 'hour', 'day'), ...(statement.parameters ?? [])]);
  if (!rows[0]?.is_ready) return null;
  return rows.filter(({ is_there: isThere }) => isThere);
}

const ROLLED_ROWS = `
  select * from (
    select ${rolledValueOf('$2')} as value, event_time as at, ${FACT_MEASURES} from cost_fact
    where organization_id = $1 and event_time >= $3::timestamptz and event_time < $4::timestamptz
    union all
    select dimension_value, bucket, ${MEASURES} from rollup_hour
    where organization_id = $1 and dimension_key = $2 and bucket >= $4::timestamptz and bucket < $5::timestamptz
    union all
    select dimension_value, bucket, ${MEASURES} from rollup_day
    where organization_id = $1 and dimension_key = $2 and bucket >= $5::timestamptz and bucket < $6::timestamptz
    union all
    select dimension_value, bucket, ${MEASURES} from rollup_hour
    where organization_id = $1 and dimension_key = $2 and bucket >= $6::timestamptz and bucket < $7::timestamptz
    union all
    select ${rolledValueOf('$2')}, event_time, ${FACT_MEASURES} from cost_fact
    where organization_id = $1 and event_time >= $7::timestamptz and event_time < $8::timestamptz
  ) as part where (select is_ready from readiness)`;

/** Further conditions on facts go into `where`, over columns of `cost_fact`. */
export async function readFromFacts<Row>(
  em: EntityManager,
  { organizationId, key, window }: WindowQuestion,
  statement: WindowStatement,
  where = 'true',
): Promise<Row[]> {
  const rows = `(
    select ${rolledValueOf('$2')} as value, event_time as at, ${FACT_MEASURES} from cost_fact
    where organization_id = $1 and event_time >= $3::timestamptz and event_time < $4::timestamptz and ${where})`;
  return query<Row>(em, `select * from (${statement.text(rows, (index) => `$${5 + index}`)}) as answer ${orderBy(statement)}`,
    [organizationId, rolledKeyOf(key), window.start, window.end, ...(statement.parameters ?? [])]);
}

/** What people see of a rolled value of `key`: SQL over the text `value`. */
export function shownValue(key: string): string {
  if (key === MODEL_KEY) return 'value::jsonb ->> 3';
  if (key === PROVIDER_KEY) return 'value::jsonb ->> 2';
  return 'value';
}

function orderBy({ order }: WindowStatement): string {
  return order ? `order by ${order}` : '';
}
