/** Reads the costs of a selection that correct closed months. */
import { addMonths } from '#kernel/time/calendar.ts';
import type { Window } from '#kernel/time/window.ts';
import { query } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { selectedFacts } from './selected-facts.query.ts';
import type { SelectionQuery } from './selected-rows.query.ts';

export interface CorrectionRow {
  readonly one: string | null;
  readonly other: string | null;
  readonly totalCost: string;
  /** Ledger entries. */
  readonly entries: string;
}

/**
 * Costs in the window that correct closed months, by the groups of the selection. They are booked at the first instant
 * of an open month, with a negative sequence (`lateCostSequence`).
 */
export async function readCorrections(tx: Transaction, input: SelectionQuery): Promise<CorrectionRow[]> {
  const months = monthsBegun(input.window);
  if (months.length === 0) return [];
  const { text, parameters } = selectedFacts(input, 'total_cost::numeric as total_cost', [
    'sequence < 0',
    `event_time in (${months.map((month) => `'${month}'::timestamptz`).join(', ')})`,
  ]);
  return query<CorrectionRow>(
    tx,
    `select one, other, sum(total_cost)::text as total_cost, count(*)::text as entries from ${text} as late group by one, other`,
    parameters,
  );
}

/** First instants of months in the window. */
function monthsBegun({ start, end }: Window): string[] {
  const months: string[] = [];
  const first = new Date(start.epochMs);
  let month = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), 1));
  for (; month.getTime() < end.epochMs; month = addMonths(month, 1))
    if (month.getTime() >= start.epochMs) months.push(month.toISOString());
  return months;
}
