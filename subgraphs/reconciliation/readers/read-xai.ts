/** xAI: `POST /v1/billing/teams/{team}/usage`, USD per day and model. */
import { type BillLine, billLine } from '../lines/bill-line.ts';
import { fractionDigits, readDecimal } from '../lines/decimals.ts';
import { readInstant, utcDay } from '../lines/utc-day.ts';
import { type JsonObject, objectsOf, textOf } from './json-documents.ts';

const DIGITS = 8;

export function isXai(document: JsonObject): boolean {
  return objectsOf(document['timeSeries']).some((series) => Array.isArray(series['dataPoints']));
}

export function readXai(document: JsonObject): BillLine[] {
  return objectsOf(document['timeSeries']).flatMap((series) => {
    const [model] = Array.isArray(series['group']) ? series['group'].map(textOf) : [];
    return objectsOf(series['dataPoints']).flatMap((point) => {
      const net = readDecimal(Array.isArray(point['values']) ? point['values'][0] : null, 'values');
      if (net === null || net.isZero()) return [];
      return [
        billLine({
          day: utcDay(readInstant(point['timestamp'], 'timestamp')),
          label: model ?? 'total',
          provider: 'x-ai',
          meaning:
            model === undefined || model === null
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
        }),
      ];
    });
  });
}
