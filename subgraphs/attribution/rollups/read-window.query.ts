/**
 * Reads a key's figures between any two instants in one statement, and so from one snapshot: facts for the partial
 * hours, then whole hours and whole days. If the key's rollup is not ready, the same result is computed from the
 * facts.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { query } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { MODEL_KEY, PROVIDER_KEY, rollupKeyOf } from '../measures/rollup-keys.ts';
import { splitHours, splitWindow } from '#kernel/time/split-window.ts';
import type { Window } from '#kernel/time/window.ts';
import { mayHavePending } from './pending-day.table.ts';
import { factRows, rollupRows, type WindowColumn } from './window-rows.query.ts';

export interface WindowQuery {
  readonly organizationId: OrganizationId;
  readonly key: string;
  readonly window: Window;
  /** True if `at` must distinguish the hours of a day: then whole days are not read as one row. */
  readonly isHourly?: boolean;
}

/**
 * A statement over `rows`: one row per fact, hour or day, with its `value` of the key, its first instant `at`, and the
 * measures. `parameter(n)` is the placeholder of the statement's own parameter n, from 0. The result must not contain
 * the columns `is_ready` and `is_there`.
 */
export interface WindowStatement {
  readonly columns: readonly WindowColumn[];
  text(rows: string, parameter: (index: number) => string): string;
  readonly parameters?: readonly unknown[];
  /** `order by` over the result's columns. */
  readonly order?: string;
}

/** Returns the statement's result. */
export async function readWindow<Row>(tx: Transaction, query: WindowQuery, statement: WindowStatement): Promise<Row[]> {
  return (await readFromRollups<Row>(tx, query, statement)) ?? readFromFacts<Row>(tx, query, statement);
}

/**
 * Always true. It mentions all instants, because PostgreSQL has to know the type of each, and the rows may not use
 * all of them.
 */
const TYPED = `num_nonnulls(${[3, 4, 5, 6, 7, 8].map((place) => `$${place}::timestamptz`).join(', ')}) = 6`;

/** Null if the rollup is not ready in the same snapshot. */
export async function readFromRollups<Row>(
  tx: Transaction,
  { organizationId, key, window, isHourly = false }: WindowQuery,
  statement: WindowStatement,
): Promise<Row[] | null> {
  const instants = isHourly ? splitHours(window) : splitWindow(window, 'hour', 'day');
  const hasPending = await mayHavePending(tx, organizationId);
  const source = rollupRows(statement.columns, rollupKeyOf(key), instants, hasPending);
  const text = statement.text(source, (index) => `$${9 + index}`);
  const rows = await query<Row & { isReady: boolean | null; isThere: boolean | null }>(
    tx,
    `
    select * from (
      select (select state from rolled_key where organization_id = $1 and key = $2) = 'ready' and ${TYPED} as is_ready
    ) as readiness left join (
      select true as is_there, * from (${text}) as statement
    ) as answer on true ${orderBy(statement)}`,
    [organizationId, rollupKeyOf(key), ...instants, ...(statement.parameters ?? [])],
  );
  if (!rows[0]?.isReady) return null;
  return rows.filter(({ isThere }) => isThere);
}

/** `where` adds conditions over columns of `cost_fact`. */
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

/** SQL over the text `value`: the displayed form of a rolled-up value of `key`. */
export function valueColumn(key: string): string {
  if (key === MODEL_KEY) return 'value::jsonb ->> 3';
  if (key === PROVIDER_KEY) return 'value::jsonb ->> 2';
  return 'value';
}

function orderBy({ order }: WindowStatement): string {
  return order ? `order by ${order}` : '';
}
