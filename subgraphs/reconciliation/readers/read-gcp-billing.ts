/** Google's billing export: BigQuery rows as CSV or JSON, nested or flattened. */
import { isFields } from '#kernel/json/json-field.ts';
import type { Fields } from '#kernel/json/json-object.ts';
import { type Money, ZERO } from '#kernel/money.ts';
import { BillFormatError, type BillLine, billLine, type LineKind } from '../lines/bill-line.ts';
import { fractionDigits, readAmount, readQuantity } from '../lines/decimals.ts';
import { daysOf, readInstant } from '../lines/read-instant.ts';
import { readVertexSku } from '../rules/vertex-skus.ts';
import type { BillReader } from './bill-reader.ts';
import { objectsInText, objectsOf, textOf } from './json-values.ts';
import { scopesOf } from './scopes-of.ts';

export function gcpBillingReader(): BillReader {
  return {
    matches: (row) => 'sku.description' in row && 'usage_start_time' in row && 'cost' in row,
    columns: COLUMNS,
    isNested: true,
    read: readRow,
    source: () => 'gcp.billing',
    cutsZeros: true,
  };
}

/** BigQuery writes `sku_description` in flat files. */
const COLUMNS = [
  'cost',
  'cost_at_list',
  'cost_type',
  'credits',
  'currency',
  'project.id',
  'service.description',
  'sku.description',
  'usage.amount',
  'usage.unit',
  'usage_end_time',
  'usage_start_time',
];

const COST_TYPES: Readonly<Record<string, LineKind>> = { tax: 'tax', adjustment: 'fee', rounding_error: 'fee' };
/** Credits that are agreed discounts. */
const DISCOUNT_TYPES =
  /^(?:DISCOUNT|COMMITTED_USAGE_DISCOUNT|COMMITTED_USAGE_DISCOUNT_DOLLAR_BASE|SUSTAINED_USAGE_DISCOUNT|RESELLER_MARGIN|SUBSCRIPTION_BENEFIT|FEE_UTILIZATION_OFFSET)$/;
/** Credits that pay for charges. A file without types contains only such credits. */
const CREDIT_TYPES = /^(?:PROMOTION|FREE_TIER|)$/;

const MODEL_SERVICES = /vertex|gemini|generative language|anthropic|claude/i;

function readRow(row: Fields): BillLine[] {
  const label = textOf(row['sku.description']) ?? 'total';
  const kind = COST_TYPES[textOf(row['cost_type']) ?? 'regular'] ?? 'usage';
  const start = readInstant(row['usage_start_time'], 'usage_start_time');
  const end = textOf(row['usage_end_time']);
  const cost = readAmount(row['cost'], 'cost');
  const isModel = MODEL_SERVICES.test(textOf(row['service.description']) ?? '');
  const common = {
    ...(kind === 'usage'
      ? daysOf(start, end === null ? null : readInstant(end, 'usage_end_time'))
      : daysOf(start, null)),
    label,
    provider: isModel ? 'google' : 'other',
    kind,
    currency: (textOf(row['currency']) ?? 'USD').toUpperCase(),
    scopes: scopesOf({ project: textOf(row['project.id']) }),
    digits: fractionDigits([cost], 2),
  };
  if (kind === 'tax') return [billLine({ ...common, tax: cost })];
  if (kind !== 'usage') return [billLine({ ...common, net: cost })];
  if (!isModel)
    return [billLine({ ...common, label: textOf(row['service.description']) ?? label, kind: 'other', net: cost })];
  const { discount, credit, unread } = creditsOf(row['credits']);
  const meaning = readVertexSku(label);
  const amount = readQuantity(row['usage.amount'], 'usage.amount');
  const unit = (textOf(row['usage.unit']) ?? '').toLowerCase();
  // Some exports call tokens `count` or `requests`.
  const isCounted = ['tokens', 'token', 'count', 'requests'].includes(unit);
  const list = readAmount(row['cost_at_list'], 'cost_at_list') ?? cost;
  const net = cost?.plus(discount) ?? null;
  return [
    billLine({
      ...common,
      kind: meaning?.kind ?? 'usage',
      meaning,
      quantity: meaning !== null && isCounted ? amount : null,
      list,
      discount: list === null || net === null ? null : net.minus(list),
      credit: credit.isZero() ? null : credit,
      net,
    }),
    ...unread.map(({ name, amount: credited }) => billLine({ ...common, label: name, net: credited })),
  ];
}

/** A credit of an unknown type may lower the price or pay for charges. It becomes a line of its own that is not understood. */
function creditsOf(value: unknown) {
  let [discount, credit] = [ZERO, ZERO];
  const unread: { name: string; amount: Money }[] = [];
  for (const item of creditItems(value)) {
    const amount = readAmount(item['amount'], 'credits.amount') ?? ZERO;
    const type = textOf(item['type']) ?? '';
    if (DISCOUNT_TYPES.test(type)) discount = discount.plus(amount);
    else if (CREDIT_TYPES.test(type)) credit = credit.plus(amount);
    else unread.push({ name: `credit ${type}`, amount });
  }
  return { discount, credit, unread };
}

function creditItems(value: unknown): Fields[] {
  if (Array.isArray(value)) return objectsOf(value);
  if (isFields(value)) return [value];
  const text = textOf(value);
  if (text === null) return [];
  const items = objectsInText(text);
  // If its credits were ignored, a charge would be compared as if it had to be paid in full.
  if (items.length === 0 && !/^\[\s*\]$/.test(text))
    throw new BillFormatError(`credits is not a JSON list: ${JSON.stringify(text).slice(0, 80)}`);
  return items;
}
