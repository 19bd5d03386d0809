/**
 * Reads what a selection adds up, from the fewest rows that give an exact result: sums of end users, the rollup of a
 * key, or else the facts, up to a limit per read.
 */
import type { EndUserId, OrganizationId } from '#kernel/ids.ts';
import type { Window } from '#kernel/time/window.ts';
import { query } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { fail } from '#kernel/errors.ts';
import { SELECTED_FACTS_MAX } from '../config.ts';
import { COST_COLUMNS, COST_SUMS, type MeasureColumn, sumsOf } from '../measures/measure.ts';
import { pairKey, rollupKeyOf, SESSION_KEY, TOTAL_KEY } from '../measures/rollup-keys.ts';
import { endUserInstants, endUserRows } from '../rollups/end-user-rows.query.ts';
import { readFromRollups, readWindow } from '../rollups/read-window.query.ts';
import { type CostSelection, describeSelection, isOfSomeEndUsers, keysOf } from './cost-selection.ts';
import { selectedFacts } from './selected-facts.query.ts';
import { endUserConditions, matches, parameterOf } from './selection-conditions.query.ts';
import { startOfValues, valueInRollup } from './value-in-rollup.ts';

export interface SelectionQuery {
  readonly organizationId: OrganizationId;
  readonly window: Window;
  readonly selection: CostSelection;
  /** True if rows must distinguish the hours of a day. */
  readonly isHourly: boolean;
  /** Restricts the read to these UUIDs; only for costs that are by end user and nothing else. */
  readonly endUserIds?: readonly EndUserId[];
  /** Refuses to add up more facts than this; by default `SELECTED_FACTS_MAX`. */
  readonly factsMax?: number | undefined;
}

/**
 * A statement over `rows`: filtered, with the group values `one` and `other`, the instant `at`, and the sums of its
 * columns. An end user's value is its UUID; the nil UUID stands for none. `parameter(n)` is the placeholder of the
 * statement's own parameter n, from 0. If `isGrouped`, every group is a single row.
 */
export interface SelectionStatement {
  text(rows: string, parameter: (index: number) => string, isGrouped: boolean): string;
  readonly parameters: readonly unknown[];
  readonly order: string;
  /** The columns of `COST_COLUMNS`, and further ones if needed, which sums of end users do not have. */
  readonly columns: readonly MeasureColumn[];
  /** True if it uses the instant `at`. */
  readonly isDated: boolean;
}

/** Fails with `UNPROCESSABLE_ENTITY` if it needs more facts than one read may add up. */
export async function readSelected<Row>(
  tx: Transaction,
  input: SelectionQuery,
  statement: SelectionStatement,
): Promise<Row[]> {
  const hasOnlyCosts = statement.columns.length === COST_COLUMNS.length;
  if (isOfEndUsers(input) && hasOnlyCosts) return readFromEndUsers<Row>(tx, input, statement);
  const key = rollupKeyFor(input.selection);
  const rows = key === null ? null : await readFromRollup<Row>(tx, input, key, statement);
  return rows ?? readFromFacts<Row>(tx, input, statement);
}

/** True if costs are by end user and nothing else. */
export function isOfEndUsers({ selection, isHourly }: SelectionQuery): boolean {
  const { conditions, groups } = selection;
  const isNamed = isOfSomeEndUsers(selection) || groups.length > 0;
  return isNamed && conditions.length === 0 && !isHourly && groups.every(({ isEndUser }) => isEndUser);
}

/**
 * The rollup that has every key of the selection; a pair's rollup may not be registered. Null if no rollup could have
 * them.
 */
function rollupKeyFor(selection: CostSelection): string | null {
  if (isOfSomeEndUsers(selection) || selection.groups.some(({ isEndUser }) => isEndUser)) return null;
  const keys = new Set(keysOf(selection).map(rollupKeyOf));
  const [one = TOTAL_KEY, other, third] = keys;
  if (third !== undefined || keys.has(SESSION_KEY)) return null;
  return other === undefined ? one : pairKey(one, other);
}

function readFromEndUsers<Row>(tx: Transaction, input: SelectionQuery, statement: SelectionStatement): Promise<Row[]> {
  const { organizationId, window, selection } = input;
  const endUser = selection.groups.length > 0 ? 'end_user_id' : 'null::uuid';
  const own: unknown[] = [organizationId];
  const place = (value: unknown) => `$${own.push(value)}`;
  const { start, firstDay, firstMonth, monthsEnd, lastDay, end } = endUserInstants(window, statement.isDated);
  const conditions = endUserConditions(input, place);
  const parts = endUserRows({
    organization: '$1',
    instants: {
      start: place(start),
      firstDay: place(firstDay),
      firstMonth: place(firstMonth),
      monthsEnd: place(monthsEnd),
      lastDay: place(lastDay),
      end: place(end),
    },
    onFacts: conditions.map(({ onFacts }) => onFacts),
    onSums: conditions.map(({ onSums }) => onSums),
  });
  // Converts each end user to text only once, if times need not be distinguished.
  const rows = statement.isDated
    ? `(select ${endUser}::text as one, null::text as other, at, ${COST_COLUMNS.join(', ')} from ${parts} as part)`
    : `(select ${endUser}::text as one, null::text as other, null::timestamptz as at, ${COST_SUMS} from ${parts} as part group by ${endUser} having sum(event_count) <> 0 or sum(total_cost) <> 0)`;
  return run<Row>(tx, rows, own, statement, !statement.isDated);
}

async function readFromRollup<Row>(
  tx: Transaction,
  { organizationId, window, selection, isHourly }: SelectionQuery,
  key: string,
  statement: SelectionStatement,
): Promise<Row[] | null> {
  const { conditions } = selection;
  const valueOf = (name: string) => valueInRollup(key, name);
  const [one, other] = selection.groups.map((group) => valueOf(group.key));
  const start = startOfValues(key, selection);
  const own = [...conditions.map(parameterOf), ...(start === null ? [] : [start])];
  return readFromRollups<Row>(
    tx,
    { organizationId, key, window, isHourly },
    {
      columns: ['value', 'at', ...statement.columns],
      text: (all, parameter) => {
        const begin = parameter(conditions.length);
        const rows = start === null ? all : `(select * from ${all} as whole where value ^@ ${begin}::text)`;
        const where = conditions.map((condition, index) =>
          matches(valueOf(condition.key), condition, parameter(index)),
        );
        const selected = `(
          select ${one ?? 'null::text'} as one, ${other ?? 'null::text'} as other, at, ${statement.columns.join(', ')}
          from ${statement.isDated ? rows : sumsByValue(rows, statement.columns)} as rolled
          where ${['true', ...where].join(' and ')})`;
        return statement.text(selected, (index) => parameter(own.length + index), false);
      },
      parameters: [...own, ...statement.parameters],
      order: statement.order,
    },
  );
}

/** If times need not be distinguished, each value is parsed only once. */
function sumsByValue(rows: string, columns: readonly MeasureColumn[]): string {
  return `(select value, null::timestamptz as at, ${sumsOf(columns)} from ${rows} as part group by value)`;
}

async function readFromFacts<Row>(
  tx: Transaction,
  input: SelectionQuery,
  statement: SelectionStatement,
): Promise<Row[]> {
  await refuseTooMany(tx, input);
  const { text, parameters } = selectedFacts(input, statement.columns.map(storedMeasure).join(', '), []);
  return run<Row>(tx, text, parameters, statement);
}

/** Sums over facts alone need no common type: adding stored integers is faster than converting each to `numeric`. */
function storedMeasure(column: MeasureColumn): string {
  return column === 'event_count' ? '(sequence = 0)::int as event_count' : column;
}

function run<Row>(
  tx: Transaction,
  rows: string,
  own: readonly unknown[],
  { text, parameters, order }: SelectionStatement,
  isGrouped = false,
): Promise<Row[]> {
  const body = text(rows, (index) => `$${own.length + 1 + index}`, isGrouped);
  return query<Row>(tx, `select * from (${body}) as answer order by ${order}`, [...own, ...parameters]);
}

/** Fails with `UNPROCESSABLE_ENTITY` if there are more facts than one read may add up. */
export async function refuseTooMany(tx: Transaction, input: SelectionQuery): Promise<void> {
  const events = await countEvents(tx, input);
  const max = factsMaxOf(input);
  if (events <= max) return;
  fail(
    'UNPROCESSABLE_ENTITY',
    `${describeSelection(input.selection)} are summed from single events. This window has ${events} of them, more than the maximum of ${max}: use a shorter window or fewer keys, or register a pair of keys (costPairRegister)`,
  );
}

/** True if there are more facts than one read may add up. */
export async function hasTooMany(tx: Transaction, input: SelectionQuery): Promise<boolean> {
  return (await countEvents(tx, input)) > factsMaxOf(input);
}

function factsMaxOf({ factsMax = SELECTED_FACTS_MAX }: SelectionQuery): number {
  return factsMax;
}

/**
 * Counts events from sums. Only the facts of the selected end users count, because the index finds them directly;
 * without any, all facts of the window count.
 */
async function countEvents(tx: Transaction, input: SelectionQuery): Promise<number> {
  const { organizationId, window, selection } = input;
  const counted = {
    text: (rows: string) => `select coalesce(sum(event_count), 0)::float8 as events from ${rows} as part`,
  };
  const [found] = !isOfSomeEndUsers(selection)
    ? await readWindow<{ events: number }>(
        tx,
        { organizationId, key: TOTAL_KEY, window },
        { columns: ['event_count'], text: counted.text },
      )
    : await readFromEndUsers<{ events: number }>(
        tx,
        { ...input, selection: { ...selection, conditions: [], groups: [] } },
        { text: counted.text, parameters: [], order: '1', columns: COST_COLUMNS, isDated: false },
      );
  return found?.events ?? 0;
}
