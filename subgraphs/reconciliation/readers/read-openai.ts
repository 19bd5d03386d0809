/** OpenAI: `organization/costs`, `organization/usage/*`, and the CSV exports of both. */
import { isFields } from '#kernel/json/json-field.ts';
import type { Fields } from '#kernel/json/json-object.ts';
import { NO_QUANTITY } from '#kernel/money.ts';
import type { TokenClass } from '#schema/token-classes.ts';
import { type BillLine, billLine, type LineMeaning } from '../lines/bill-line.ts';
import { fractionDigits, readAmount, readQuantity } from '../lines/decimals.ts';
import { daysOf, readInstant } from '../lines/read-instant.ts';
import { contextOf } from '../rules/context-text.ts';
import { readOpenaiLineItem } from '../rules/openai-line-items.ts';
import type { BillReader } from './bill-reader.ts';
import { objectsIn, textOf } from './json-values.ts';
import { scopesOf } from './scopes-of.ts';

/** The API prints doubles; the cost of one token needs this many digits. */
const DIGITS = 10;

export function openaiReader(): BillReader {
  return {
    matches: (bucket) => bucket['object'] === 'bucket' || ('start_time' in bucket && Array.isArray(bucket['results'])),
    *read(bucket) {
      const { start_time, end_time } = bucket;
      for (const row of objectsIn(bucket['results'] ?? bucket['result']))
        yield* readRow({ ...row, start_time, end_time });
    },
    source: () => 'openai.costs',
  };
}

export function openaiTableReader(): BillReader {
  return {
    matches: (row) => 'start_time' in row && ('amount_value' in row || 'num_model_requests' in row),
    read(row) {
      if ('num_model_requests' in row) return readRow(row);
      const amount = textOf(row['amount_value']);
      return amount === null ? [] : readRow({ ...row, amount: { value: amount, currency: row['amount_currency'] } });
    },
    source: () => 'openai.costs',
  };
}

/** A row of costs or of usage. */
function readRow(row: Fields): BillLine[] {
  const period = daysOf(
    readInstant(row['start_time'], 'start_time'),
    isMissing(row['end_time']) ? null : readInstant(row['end_time'], 'end_time'),
  );
  const scopes = scopesOf({ project: textOf(row['project_id']), key: textOf(row['api_key_id']) });
  const common = { ...period, provider: 'openai', scopes };
  if (!isFields(row['amount'])) return usageLines(row, common);
  const net = readAmount(row['amount']['value'], 'amount.value');
  const label = textOf(row['line_item']);
  const meaning = label === null ? null : readOpenaiLineItem(label);
  return [
    billLine({
      ...common,
      label: label ?? 'total',
      meaning,
      quantity: readQuantity(row['quantity'], 'quantity'),
      net,
      currency: (textOf(row['amount']['currency']) ?? 'USD').toUpperCase(),
      digits: fractionDigits([net], DIGITS),
    }),
  ];
}

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';
const isTrue = (value: unknown): boolean => value === true || String(value).toLowerCase() === 'true';

function usageLines(row: Fields, common: Pick<BillLine, 'day' | 'lastDay' | 'provider' | 'scopes'>): BillLine[] {
  const model = textOf(row['model']);
  const count = (name: string) => readQuantity(row[name], name) ?? NO_QUANTITY;
  const tier = isTrue(row['batch']) ? 'batch' : textOf(row['service_tier']);
  const context = contextOf({ tier: tier === null || ['default', 'standard', 'auto'].includes(tier) ? null : tier });
  const cachedAudio = count('input_cached_audio_tokens');
  const cachedImage = count('input_cached_image_tokens');
  const [cached, written] = [count('input_cached_tokens'), count('input_cache_write_tokens')];
  const [audioIn, imageIn] = [count('input_audio_tokens'), count('input_image_tokens')];
  const [audioOut, imageOut] = [count('output_audio_tokens'), count('output_image_tokens')];
  const counts: readonly (readonly [TokenClass, string, ReturnType<typeof count>])[] = [
    [
      'input',
      'input',
      count('input_tokens')
        .minus(cached)
        .minus(written)
        .minus(audioIn)
        .minus(imageIn)
        .plus(cachedAudio)
        .plus(cachedImage),
    ],
    ['cacheRead', 'cached input', cached.minus(cachedAudio).minus(cachedImage)],
    ['cacheCreation', 'cache write', written],
    ['inputAudio', 'audio input', audioIn.minus(cachedAudio)],
    ['inputImage', 'image input', imageIn.minus(cachedImage)],
    ['cacheReadAudio', 'cached audio input', cachedAudio],
    ['cacheReadImage', 'cached image input', cachedImage],
    ['output', 'output', count('output_tokens').minus(audioOut).minus(imageOut)],
    ['outputAudio', 'audio output', audioOut],
    ['outputImage', 'image output', imageOut],
  ];
  return counts.flatMap(([tokenClass, name, quantity]) => {
    if (quantity.isZero()) return [];
    const meaning: LineMeaning | null =
      model === null
        ? null
        : {
            rule: 'openai.usage',
            verified: !/audio|image/.test(name),
            kind: 'usage',
            model,
            tokenClass,
            context,
            unit: 'tokens',
            per: 1,
          };
    return [
      billLine({ ...common, part: 'usage', label: `${model ?? 'total'}, ${name}`, meaning, quantity, currency: 'USD' }),
    ];
  });
}
