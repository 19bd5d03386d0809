/** OpenRouter: `GET /api/v1/activity`, one row per UTC day and model, and the console's CSV, one row per generation. */
import { type Money, NO_QUANTITY, type Quantity } from '#kernel/money.ts';
import { type BillLine, billLine, type LineMeaning } from '../lines/bill-line.ts';
import { fractionDigits, readAmount, readQuantity } from '../lines/decimals.ts';
import { dayOf } from '#kernel/time/utc-day.ts';
import { readInstant } from '../lines/read-instant.ts';
import type { BillReader } from './bill-reader.ts';
import { textOf } from './json-values.ts';

/** Credits are printed with up to this many digits. */
const DIGITS = 6;

export function openrouterReader(): BillReader {
  return {
    matches: (row) => 'date' in row && 'usage' in row && 'model' in row,
    read: (row) => [
      modelLine({
        day: dayOf(readInstant(row['date'], 'date')),
        model: textOf(row['model_permaslug']) ?? textOf(row['model']),
        net: readAmount(row['usage'], 'usage'),
        tokens: [row['prompt_tokens'], row['completion_tokens']],
      }),
    ],
    source: () => 'openrouter.activity',
  };
}

export function openrouterTableReader(): BillReader {
  return {
    matches: (row) => 'generation_id' in row && 'cost_total' in row && 'created_at' in row,
    read: (row) => [
      modelLine({
        day: dayOf(readInstant(row['created_at'], 'created_at')),
        model: textOf(row['model_permaslug']),
        net: readAmount(row['cost_total'], 'cost_total'),
        tokens: [row['tokens_prompt'], row['tokens_completion']],
      }),
    ],
    source: () => 'openrouter.activity',
  };
}

interface ModelRow {
  readonly day: string;
  readonly model: string | null;
  readonly net: Money | null;
  /** Prompt tokens including cached ones, completion tokens including reasoning. */
  readonly tokens: readonly unknown[];
}

/** There are no token classes, so tokens are compared by model. Inference with the customer's own key is not charged. */
function modelLine({ day, model, net, tokens }: ModelRow): BillLine {
  const meaning: LineMeaning | null =
    model === null
      ? null
      : {
          rule: 'openrouter.activity',
          verified: true,
          kind: 'usage',
          model,
          tokenClass: null,
          context: '',
          unit: 'tokens',
          per: 1,
        };
  const counts = tokens.map((value) => readQuantity(value, 'tokens'));
  return billLine({
    day,
    label: model ?? 'total',
    provider: 'openrouter',
    meaning,
    quantity: counts.includes(null)
      ? null
      : counts.reduce<Quantity>((total, count) => total.plus(count ?? NO_QUANTITY), NO_QUANTITY),
    net,
    currency: 'USD',
    digits: fractionDigits([net], DIGITS),
  });
}
