/** Fireworks: the CSV of `firectl billing export-usage-costs` and of `firectl billing export-metrics`. */
import type { Quantity } from '#kernel/money.ts';
import type { TokenClass } from '#schema/token-classes.ts';
import { type BillLine, billLine, type LineMeaning } from '../lines/bill-line.ts';
import { readAmount, readQuantity } from '../lines/decimals.ts';
import { dayOf } from '#kernel/time/utc-day.ts';
import { readInstant } from '../lines/read-instant.ts';
import type { BillReader, TableRow } from './bill-reader.ts';
import { textOf } from './json-values.ts';
import { scopesOf } from './scopes-of.ts';

/** Amounts are printed with nine fraction digits. */
const DIGITS = 9;

const PROVIDER = 'fireworks';

export function fireworksReader(): BillReader {
  return {
    matches: (row) => isCosts(row) || ('base_model_name' in row && 'usage_type' in row && 'completion_tokens' in row),
    read: (row) => (isCosts(row) ? [costLine(row as TableRow)] : usageLines(row as TableRow)),
    source: () => 'fireworks.usage',
  };
}

function isCosts(row: object): boolean {
  return 'group_by_dimension' in row && 'subtotal_usd' in row;
}

function meaningOf(model: string | null, tokenClass: TokenClass | null): LineMeaning | null {
  if (model === null) return null;
  const rule = tokenClass === null ? 'fireworks.costs' : 'fireworks.metrics';
  const unit = tokenClass === null ? null : 'tokens';
  return { rule, verified: true, kind: 'usage', model, tokenClass, context: '', unit, per: 1 };
}

/** Values of usage that has no model. */
const UNNAMED = new Set(['unattributed', 'unknown_model']);

/** Rows are grouped by model, tier, user or key; only a model is compared by itself. */
function costLine(row: TableRow): BillLine {
  const [dimension, value] = [textOf(row['group_by_dimension']), textOf(row['group_by_value']) ?? 'unattributed'];
  return billLine({
    day: dayOf(readInstant(row['date'], 'date')),
    label: value,
    provider: PROVIDER,
    meaning: meaningOf(dimension === 'model' && !UNNAMED.has(value) ? value : null, null),
    net: readAmount(row['subtotal_usd'], 'subtotal_usd'),
    currency: (textOf(row['currency']) ?? 'USD').toUpperCase(),
    scopes: scopesOf({ key: dimension === 'api_key' && !UNNAMED.has(value) ? value : null }),
    digits: DIGITS,
  });
}

/** One row per call, without amounts. Dedicated deployments and training are charged by time. */
function usageLines(row: TableRow): BillLine[] {
  const usageType = textOf(row['usage_type']) ?? 'unknown usage';
  const common = {
    day: dayOf(readInstant(row['start_time'], 'start_time')),
    provider: PROVIDER,
    part: 'usage' as const,
    currency: 'USD',
  };
  if (usageType !== 'TEXT_COMPLETION_INFERENCE_USAGE')
    return [billLine({ ...common, label: usageType, kind: 'capacity' })];
  const model = textOf(row['base_model_name']);
  const cached = readQuantity(row['cached_prompt_tokens'], 'cached_prompt_tokens');
  const prompt = readQuantity(row['prompt_tokens'], 'prompt_tokens');
  const counts: readonly (readonly [TokenClass, string, Quantity | null])[] = [
    ['input', 'input', cached === null ? prompt : (prompt?.minus(cached) ?? null)],
    ['cacheRead', 'cached input', cached],
    ['output', 'output', readQuantity(row['completion_tokens'], 'completion_tokens')],
  ];
  return counts.flatMap(([tokenClass, name, quantity]) =>
    quantity === null || quantity.isZero()
      ? []
      : [
          billLine({
            ...common,
            label: `${model ?? 'total'}, ${name}`,
            meaning: meaningOf(model, tokenClass),
            quantity,
          }),
        ],
  );
}
