/**
 * Explains a change of costs by its causes: reads the calls of both windows by agent and model, and the corrections of
 * closed months, which are not calls of the window.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { amount, type Amount } from '#kernel/money.ts';
import type { Window } from '#kernel/time/window.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { KnownError } from '#kernel/errors.ts';
import { COUNTED_CLASSES, costOf, tokensOf } from '#schema/token-classes.ts';
import { EXPLAINED_FACTS_MAX } from '../config.ts';
import { MEASURE_COLUMNS, type MeasureRow, sumsOf } from '../measures/measure.ts';
import { MODEL_KEY } from '../measures/rollup-keys.ts';
import { type Calls, type ChangeCauses, explainChange } from './cost-change.ts';
import { AGENT_KEY, type CostSelection, onlyValue } from './cost-selection.ts';
import { readCorrections } from './selected-corrections.query.ts';
import { readSelected, type SelectionQuery } from './selected-rows.query.ts';

export interface ExplainedChange extends ChangeCauses {
  readonly corrections: Amount;
}

export interface Compared {
  readonly organizationId: OrganizationId;
  readonly window: Window;
  readonly previous: Window;
  readonly selection: CostSelection;
}

/** Groups calls by agent and model, or by model alone if that would read too many events. */
export async function explainSelection(tx: Transaction, compared: Compared): Promise<ExplainedChange> {
  const keys = [AGENT_KEY, MODEL_KEY].filter((key) => onlyValue(compared.selection, key) === null);
  try {
    return await explainBy(tx, compared, keys);
  } catch (error) {
    const isTooMuch = error instanceof KnownError && error.code === 'UNPROCESSABLE_ENTITY';
    if (!isTooMuch) throw error;
    return explainBy(
      tx,
      compared,
      keys.filter((key) => key === MODEL_KEY),
    );
  }
}

async function explainBy(
  tx: Transaction,
  { organizationId, window, previous, selection }: Compared,
  keys: readonly string[],
): Promise<ExplainedChange> {
  const groups = keys.map((key) => ({ key, isEndUser: false }));
  const of = (when: Window): SelectionQuery => ({
    organizationId,
    window: when,
    selection: { ...selection, groups },
    isHourly: false,
    factsMax: keys.length > 1 ? EXPLAINED_FACTS_MAX : undefined,
  });
  const [before, after] = [await readCalls(tx, of(previous)), await readCalls(tx, of(window))];
  const causes = explainChange(before.calls, after.calls);
  return { ...causes, corrections: after.corrections - before.corrections };
}

type CallRow = MeasureRow & { readonly one: string | null; readonly other: string | null };

async function readCalls(
  tx: Transaction,
  input: SelectionQuery,
): Promise<{ readonly calls: Calls[]; readonly corrections: Amount }> {
  const rows = await readSelected<CallRow>(tx, input, {
    text: (selected) =>
      `select one, other, ${sumsOf(MEASURE_COLUMNS)} from ${selected} as selected group by one, other`,
    parameters: [],
    columns: MEASURE_COLUMNS,
    isDated: false,
    order: 'one, other',
  });
  const corrections = new Map<string, Amount>();
  for (const { one, other, totalCost } of await readCorrections(tx, input))
    corrections.set(keyOf(one, other), amount(totalCost));
  const calls = rows.map(({ one, other, ...row }) => ({
    value: keyOf(one, other),
    cost: amount(row.totalCost) - (corrections.get(keyOf(one, other)) ?? 0n),
    eventCount: Number(row.eventCount),
    classes: classesOf(row),
  }));
  return { calls, corrections: [...corrections.values()].reduce((sum, cost) => sum + cost, 0n) };
}

function keyOf(one: string | null, other: string | null): string {
  return JSON.stringify([one, other]);
}

function classesOf(row: MeasureRow): Calls['classes'] {
  const tokens = (name: (typeof COUNTED_CLASSES)[number]) => BigInt(row[tokensOf(name)] ?? '0');
  const [cached, written] = [tokens('cacheRead'), tokens('cacheCreation')];
  const counts = {
    input: [tokens('input') - cached - written, tokens('input') - cached, tokens('input')],
    output: [tokens('output') - tokens('reasoning'), tokens('output')],
  };
  return Object.fromEntries(
    COUNTED_CLASSES.map((name) => [
      name,
      {
        cost: amount(row[costOf(name)] ?? '0'),
        tokens: name === 'input' || name === 'output' ? counts[name] : [tokens(name)],
      },
    ]),
  );
}
