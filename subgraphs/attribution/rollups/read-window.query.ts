/**
 * Reads a key's figures over any two instants in one statement, and so from one snapshot: facts of the partial hours,
 * whole hours, whole days. Where the key's rollup is not ready, the same answer comes from the facts alone.
 */
import { query, type Transaction } from '../../../platform/database/sql.ts';
import { MODEL_KEY, PROVIDER_KEY, rollupKeyOf } from '../measures/rollup-keys.ts';
import { splitHours, splitWindow } from '../../../kernel/time/split-window.ts';
import type { Window } from '../../../kernel/time/window.ts';
import { factRows, rollupRows, type WindowColumn } from './window-rows.query.ts';

export interface WindowQuery {
  readonly organizationId: string;
  readonly key: string;
  readonly window: Window;
  /** Whether `at` must tell the hours of a day apart: then no row is a whole day. */
  readonly isHourly?: boolean;
}

/**
 * A statement over `rows`: one for each fact, hour or day, with its `value` of the key, the instant `at` on which it
 * begins, and the measures. `parameter` numbers the question's own parameters, from 0. The answer must not use the
 * column `is_ready`.
 */
export interface WindowStatement {
  readonly columns: readonly WindowColumn[];
  text(rows: string, parameter: (index: number) => string): string;
  readonly parameters?: readonly unknown[];
  /** `order by` of the answer's columns. */
  readonly order?: string;
}

/** Gives the rows of the statement's answer. */
export async function readWindow<Row>(tx: Transaction, query: WindowQuery, statement: WindowStatement): Promise<Row[]> {
  return (await readFromRollups<Row>(tx, query, statement)) ?? readFromFacts<Row>(tx, query, statement);
}

/** Null where the rollup is not ready: found out in the very snapshot that is read. */
export async function readFromRollups<Row>(
  tx: Transaction,
  { organizationId, key, window, isHourly = false }: WindowQuery,
  statement: WindowStatement,
): Promise<Row[] | null> {
  const text = statement.text(rollupRows(statement.columns, rollupKeyOf(key)), (index) => `$${9 + index}`);
  const rows = await query<Row & { isReady: boolean | null; isThere: boolean | null }>(
    tx,
    `
    select * from (
      select (select state from rolled_key where organization_id = $1 and key = $2) = 'ready' as is_ready
    ) as readiness left join (
      select true as is_there, * from (${text}) as statement
    ) as answer on true ${orderBy(statement)}`,
    [
      organizationId,
      rollupKeyOf(key),
      ...(isHourly ? splitHours(window) : splitWindow(window, 'hour', 'day')),
      ...(statement.parameters ?? []),
    ],
  );
  if (!rows[0]?.isReady) return null;
  return rows.filter(({ isThere }) => isThere);
}

/** Further conditions on facts go into `where`, over columns of `cost_fact`. */
export async function readFromFacts<Row>(
  tx: Transaction,
  { organizationId, key, window }: WindowQuery,
  statement: WindowStatement,
  where = 'true',
): Promise<Row[]> {
  const rows = factRows(statement.columns, where);
  return query<Row>(
    tx,
    `select * from (${statement.text(rows, (index) => `$${5 + index}`)}) as answer ${orderBy(statement)}`,
    [organizationId, rollupKeyOf(key), window.start.iso, window.end.iso, ...(statement.parameters ?? [])],
  );
}

/** What people see of a rolled value of `key`: SQL over the text `value`. */
export function valueColumn(key: string): string {
  if (key === MODEL_KEY) return 'value::jsonb ->> 3';
  if (key === PROVIDER_KEY) return 'value::jsonb ->> 2';
  return 'value';
}

function orderBy({ order }: WindowStatement): string {
  return order ? `order by ${order}` : '';
}
