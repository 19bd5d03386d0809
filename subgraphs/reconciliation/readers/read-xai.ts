/** xAI: `POST /v1/billing/teams/{team}/usage`, USD per day and model. */
import type { Fields } from '#kernel/json/json-object.ts';
import { type BillLine, billLine } from '../lines/bill-line.ts';
import { fractionDigits, readAmount } from '../lines/decimals.ts';
import { dayOf } from '#kernel/time/utc-day.ts';
import { readInstant } from '../lines/read-instant.ts';
import type { BillReader } from './bill-reader.ts';
import { objectsIn, textOf } from './json-values.ts';

const DIGITS = 8;

export function xaiReader(): BillReader {
  return {
    matches: (series) => Array.isArray(series['dataPoints']),
    read: readSeries,
    source: () => 'xai.usage',
  };
}

function* readSeries(series: Fields): Generator<BillLine> {
  const [model = null] = Array.isArray(series['group']) ? series['group'].map(textOf) : [];
  for (const point of objectsIn(series['dataPoints'])) {
    const net = readAmount(Array.isArray(point['values']) ? point['values'][0] : null, 'values');
    if (net === null || net.isZero()) continue;
    yield billLine({
      day: dayOf(readInstant(point['timestamp'], 'timestamp')),
      label: model ?? 'total',
      provider: 'x-ai',
      meaning:
        model === null
          ? null
          : {
              rule: 'xai.usage',
              verified: true,
              kind: 'usage',
              model,
              tokenClass: null,
              context: '',
              unit: null,
              per: 1,
            },
      net,
      currency: 'USD',
      digits: fractionDigits([net], DIGITS),
    });
  }
}
