/** `Window.savings`: how far costs are below list prices, by agreement. */
import { type Amount, amount } from '#kernel/money.ts';
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { readSavings, type SavingsRow } from './savings.query.ts';

const LINES_MAX = 1_000;

interface SavingsFigures {
  readonly list: Amount;
  readonly contracted: Amount;
  readonly savings: Amount;
}

/** The totals include lines beyond the limit. */
export async function getSavings(context: SubgraphContext, window: Window) {
  const organizationId = organizationOf(context);
  const rows = await context.database.snapshot(organizationId, (tx) => readSavings(tx, organizationId, window));
  return {
    ...figuresOf(rows),
    lines: rows.slice(0, LINES_MAX).map((row) => ({
      provider: row.provider,
      agreement: row.agreement === '' ? null : row.agreement,
      ...figuresOf([row]),
    })),
  };
}

function figuresOf(rows: readonly SavingsRow[]): SavingsFigures {
  const sumOf = (name: 'list' | 'contracted') => rows.reduce((total, row) => total + amount(row[name]), 0n);
  const [list, contracted] = [sumOf('list'), sumOf('contracted')];
  return { list, contracted, savings: list - contracted };
}
