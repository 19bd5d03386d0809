/** `books costs`: the cost summary of a window, or a breakdown. */
import { anyText } from '../../kit/flags.ts';
import { costSummary } from '../cost-summary.ts';
import { apiRead, defineRead, type ApiRead } from '../define-read.ts';
import { type DateRange, isDated, rangeOfArgs } from '../resolve-window.ts';
import type { Column, Row } from '../sheet.ts';
import { formatAmount } from '../format-value.ts';
import { UsageError } from '../../kit/usage-error.ts';

const MEASURES: readonly Column[] = [
  { name: 'total_cost', title: 'Cost, USD', kind: 'amount' },
  { name: 'percent_of_total', title: 'Share', kind: 'percent' },
  { name: 'event_count', title: 'Events', kind: 'count' },
];
const TOKENS: readonly Column[] = [
  { name: 'input_tokens', title: 'Input tokens', kind: 'count' },
  { name: 'output_tokens', title: 'Output tokens', kind: 'count' },
];
const MODEL: readonly Column[] = [
  { name: 'model_slug', title: 'Model', kind: 'text' },
  { name: 'provider_slug', title: 'Provider', kind: 'text' },
];

export const costs = defineRead({
  name: 'costs',
  summary: 'Costs: a summary, or by model, provider or dimension, or of one end user',
  flags: {
    by: { form: anyText('model|provider'), about: 'Break down by this; default with dates: model' },
    dimension: { form: anyText('KEY'), about: 'Break down by one of your dimensions' },
    'end-user': { form: anyText('ID'), about: 'The costs of one end user, by model' },
  },
  toRead(args, now) {
    if (['by', 'dimension', 'end-user'].filter((flag) => args.has(flag)).length > 1)
      throw new UsageError('Give only one of --by, --dimension and --end-user');
    const range = rangeOfArgs(args, now);
    const endUser = args.optional('end-user');
    if (endUser !== undefined) return byModel(`/end-user-costs/${encodeURIComponent(endUser)}/by-model`, range);
    const dimension = args.optional('dimension');
    if (dimension !== undefined) return byDimension(dimension, range);
    switch (args.optional('by') ?? (isDated(args) ? 'model' : 'nothing')) {
      case 'nothing':
        return costSummary(args);
      case 'model':
        return byModel('/cost-data/by-model', range);
      case 'provider':
        return breakdown('/cost-data/by-provider', range, 'providers', [
          { name: 'provider_name', title: 'Provider', kind: 'text' },
          ...MEASURES,
        ]);
      default:
        throw new UsageError('--by must be model or provider');
    }
  },
});

function byModel(path: string, range: DateRange): ApiRead {
  return breakdown(path, range, 'models', [...MODEL, ...MEASURES, ...TOKENS]);
}

function byDimension(key: string, range: DateRange): ApiRead {
  const columns: Column[] = [{ name: 'dimension_value', title: key, kind: 'text' }, ...MEASURES, ...TOKENS];
  return breakdown('/dimension-data/cost-breakdown', { dimension_key: key, ...range }, 'items', columns);
}

function breakdown<List extends string>(
  path: string,
  parameters: object,
  list: List,
  columns: readonly Column[],
): ApiRead {
  return apiRead(
    path,
    parameters,
    (body: { readonly total_cost: string } & Readonly<Record<List, readonly Row[]>>) => ({
      facts: [['Total', `${formatAmount(body.total_cost)} USD`]],
      columns,
      rows: body[list],
      remarks: [],
    }),
  );
}
