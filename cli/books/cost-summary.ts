/** The summary of a window; the service compares it with the previous window. */
import { apiRead, type ApiRead } from './define-read.ts';
import type { Args } from '../kit/parse-args.ts';
import { windowOfArgs, WINDOWS } from './resolve-window.ts';
import type { Column, Sheet } from './sheet.ts';
import { formatAmount, formatValue } from './format-value.ts';

interface Summary {
  readonly current_period_cost: string;
  readonly previous_period_cost: string;
  readonly change_amount: string;
  readonly change_percent: number;
  readonly event_count: number;
  readonly period_start: string;
  readonly period_end: string;
  readonly status_counts: { readonly pending: number; readonly pending_rate_card: number; readonly failed: number };
}

const FIELDS = [
  'current_period_cost',
  'previous_period_cost',
  'change_amount',
  'change_percent',
  'event_count',
  'period_start',
  'period_end',
] as const;

export function costSummary(args: Args): ApiRead {
  const window = WINDOWS[windowOfArgs(args) ?? 'this-month'];
  return apiRead('/cost-data/summary', { time_window: window }, (body: Summary) =>
    args.has('csv') ? asRow(body) : asFacts(body),
  );
}

function asRow(body: Summary): Sheet {
  const columns = FIELDS.map((name): Column => ({ name, title: name, kind: 'text' }));
  return { facts: [], columns, rows: [{ ...body }], remarks: [] };
}

function asFacts(body: Summary): Sheet {
  const { pending, pending_rate_card: unrated, failed } = body.status_counts;
  const absent = (
    [
      ['waiting to be priced', pending],
      ['without a rate card', unrated],
      ['failed', failed],
    ] as const
  ).filter(([, count]) => count > 0);
  return {
    facts: [
      ['From', body.period_start],
      ['To', body.period_end],
      ['Cost', `${formatAmount(body.current_period_cost)} USD`],
      ['Before', `${formatAmount(body.previous_period_cost)} USD`],
      ['Change', `${formatAmount(body.change_amount)} USD (${formatValue(body.change_percent, 'percent')})`],
      ['Events', formatValue(body.event_count, 'count')],
    ],
    columns: [],
    rows: [],
    remarks: absent.map(([what, count]) => `Not included: ${formatValue(count, 'count')} events ${what}.`),
  };
}
