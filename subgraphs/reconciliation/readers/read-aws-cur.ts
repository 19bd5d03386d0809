/** Reads AWS Cost and Usage Report 2.0, with its own column names or those of its predecessor. */
import { NO_QUANTITY } from '#kernel/money.ts';
import { type BillLine, billLine, type LineKind, type LineMeaning } from '../lines/bill-line.ts';
import { fractionDigits, MILLION, readAmount, readQuantity, THOUSAND } from '../lines/decimals.ts';
import { daysOf, readInstant } from '../lines/read-instant.ts';
import { modelInText, readBedrockUsageType } from '../rules/bedrock-usage-types.ts';
import type { BillReader } from './bill-reader.ts';
import { textOf } from './json-values.ts';
import { scopesOf } from './scopes-of.ts';

export function awsCurReader(): BillReader {
  return {
    matches: (row) => 'line_item_usage_type' in row,
    columns: COLUMNS,
    read: (row) => [readRow(row)],
    source: () => 'aws.cur2',
    cutsZeros: true,
  };
}

/** Version 1 wrote `lineItem/UsageType`. */
const COLUMNS = [
  'line_item_iam_principal',
  'line_item_currency_code',
  'line_item_line_item_description',
  'line_item_line_item_type',
  'line_item_net_unblended_cost',
  'line_item_product_code',
  'line_item_unblended_cost',
  'line_item_usage_account_id',
  'line_item_usage_amount',
  'line_item_usage_end_date',
  'line_item_usage_start_date',
  'line_item_usage_type',
  'pricing_public_on_demand_cost',
  'pricing_unit',
  'product_product_name',
  'product_servicename',
] as const;

type CurRow = Readonly<Partial<Record<(typeof COLUMNS)[number], unknown>>>;

const KINDS: Readonly<Record<string, LineKind>> = {
  Tax: 'tax',
  Credit: 'credit',
  Refund: 'refund',
  Fee: 'fee',
  RIFee: 'capacity',
  SavingsPlanRecurringFee: 'capacity',
  SavingsPlanUpfrontFee: 'capacity',
};
/** Lines of usage. The savings plan's part of a covered line is a line of its own, with the opposite amount. */
const USAGE_TYPES = new Set(['Usage', 'DiscountedUsage', 'SavingsPlanCoveredUsage']);
/** Lines that reduce the charges of other lines. */
const DISCOUNTS = new Set([
  'EdpDiscount',
  'BundledDiscount',
  'PrivateRateDiscount',
  'SppDiscount',
  'SavingsPlanNegation',
]);

function readRow(row: CurRow): BillLine {
  const type = textOf(row['line_item_line_item_type']) ?? 'Usage';
  const usageType = textOf(row['line_item_usage_type']) ?? '';
  const description = textOf(row['line_item_line_item_description']) ?? '';
  const service = textOf(row['product_servicename']) ?? textOf(row['product_product_name']) ?? '';
  const product = textOf(row['line_item_product_code']) ?? '';
  const start = readInstant(row['line_item_usage_start_date'], 'line_item_usage_start_date');
  const end = textOf(row['line_item_usage_end_date']);
  const cost = readAmount(row['line_item_unblended_cost'], 'line_item_unblended_cost');
  const netCost = readAmount(row['line_item_net_unblended_cost'], 'line_item_net_unblended_cost');
  const kind = KINDS[type] ?? (DISCOUNTS.has(type) ? 'credit' : 'usage');
  const isUsage = USAGE_TYPES.has(type);
  const isBedrock = /bedrock/i.test(product) || /bedrock/i.test(service) || modelInText(service) !== null;
  const common = {
    ...(kind === 'usage'
      ? daysOf(start, end === null ? null : readInstant(end, 'line_item_usage_end_date'))
      : daysOf(start, null)),
    label: isUsage ? [usageType, description].filter((text) => text !== '').join(' · ') : type,
    provider: isBedrock ? 'aws' : 'other',
    kind,
    currency: (textOf(row['line_item_currency_code']) ?? 'USD').toUpperCase(),
    scopes: scopesOf({
      account: textOf(row['line_item_usage_account_id']),
      key: textOf(row['line_item_iam_principal']),
    }),
    digits: fractionDigits([cost], 2),
  };
  if (kind === 'tax') return billLine({ ...common, tax: cost });
  if (DISCOUNTS.has(type)) return billLine({ ...common, discount: netCost ?? cost });
  if (kind === 'credit') return billLine({ ...common, credit: netCost ?? cost });
  if (kind !== 'usage') return billLine({ ...common, net: netCost ?? cost });
  if (!isBedrock) return billLine({ ...common, label: product, kind: 'other', net: netCost ?? cost });
  // A credit of an unknown type must not be counted as usage of the model that it names.
  const meaning = isUsage ? readBedrockUsageType(usageType, description, service) : null;
  const listed = readAmount(row['pricing_public_on_demand_cost'], 'pricing_public_on_demand_cost') ?? cost;
  const net = netCost ?? cost;
  return billLine({
    ...common,
    kind: meaning?.kind ?? 'usage',
    meaning,
    quantity: quantityOf(row, meaning),
    list: listed,
    discount: listed === null || net === null ? null : net.minus(listed),
    net,
  });
}

/** Units are `1K tokens` or `1M tokens`; a Marketplace `Units` is a million tokens. */
function quantityOf(row: CurRow, meaning: LineMeaning | null): BillLine['quantity'] {
  const amount = readQuantity(row['line_item_usage_amount'], 'line_item_usage_amount');
  const unit = (textOf(row['pricing_unit']) ?? '').toLowerCase();
  if (amount === null || meaning === null) return null;
  if (meaning.unit !== 'tokens') return amount;
  if (/^1?k\s*tokens?$|^1,?000 tokens$|^thousand tokens$/.test(unit)) return amount.times(THOUSAND);
  if (/^1?m\s*tokens?$|^1,?000,?000 tokens$|^million tokens$/.test(unit)) return amount.times(MILLION);
  if (/^tokens?$/.test(unit)) return amount;
  if (unit === 'units' && meaning.rule === 'aws.usage-type.marketplace') return amount.times(MILLION);
  return amount.isZero() ? NO_QUANTITY : null;
}
