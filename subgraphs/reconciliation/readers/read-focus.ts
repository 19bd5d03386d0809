/**
 * FOCUS 1.0 to 1.4 from any provider, as CSV or JSON. FOCUS does not standardize the columns with names of models and
 * token classes, so each provider has its own rule.
 */
import { isFields } from '#kernel/json/json-field.ts';
import type { Fields } from '#kernel/json/json-object.ts';
import type { Quantity } from '#kernel/money.ts';
import { FOCUS_COLUMNS, type FocusColumn } from '#schema/focus/columns.generated.ts';
import { TOKEN_CLASS_NAMES, type TokenClass, wireName } from '#schema/token-classes.ts';
import { type BillLine, billLine, type BillSource, type LineKind, type LineMeaning } from '../lines/bill-line.ts';
import { fractionDigits, MILLION, readAmount, readQuantity, THOUSAND } from '../lines/decimals.ts';
import { daysOf, readInstant } from '../lines/read-instant.ts';
import { readAzureMeter } from '../rules/azure-meters.ts';
import { readBedrockUsageType } from '../rules/bedrock-usage-types.ts';
import { billUnitOf } from '../rules/fee-units.ts';
import { readOpenaiLineItem } from '../rules/openai-line-items.ts';
import { readVertexSku } from '../rules/vertex-skus.ts';
import type { BillReader } from './bill-reader.ts';
import { objectsInText, textOf } from './json-values.ts';
import { scopesOf } from './scopes-of.ts';

/** A row with columns of the standard and of the provider. */
type FocusRow = Readonly<Partial<Record<FocusColumn | `x_${string}`, unknown>>>;

const MARKS = ['BilledCost', 'ChargePeriodStart', 'BillingCurrency'] as const satisfies readonly FocusColumn[];

export function focusReader(): BillReader {
  const providers = new Set<string>();
  return {
    matches: (row) => MARKS.every((column) => column in row),
    columns: [...Object.keys(FOCUS_COLUMNS), ...NAME_COLUMNS],
    read(row) {
      const details = detailsOf(row['SkuPriceDetails']);
      const provider = providerOf(row, details);
      providers.add(provider);
      return [readRow(row, details, provider)];
    },
    source: () => sourceOf(providers),
    cutsZeros: true,
  };
}

/** The provider's slug by its name in FOCUS files. */
const PROVIDERS: readonly (readonly [pattern: RegExp, slug: string])[] = [
  [/\baws\b|amazon/i, 'aws'],
  [/azure|microsoft/i, 'azure'],
  [/google|gcp/i, 'google'],
  [/anthropic/i, 'anthropic'],
  [/open\s?ai/i, 'openai'],
  [/open\s?router/i, 'openrouter'],
  [/vercel/i, 'vercel'],
];

function sourceOf(providers: ReadonlySet<string>): BillSource {
  if (providers.size !== 1) return 'focus.file';
  const [slug] = providers;
  if (slug === 'aws') return 'aws.focus';
  if (slug === 'azure') return 'azure.focus';
  return slug === 'vercel' ? 'vercel.focus' : 'focus.file';
}

function nameOf(row: FocusRow): string {
  return (
    textOf(row['ProviderName']) ??
    textOf(row['ServiceProviderName']) ??
    textOf(row['HostProviderName']) ??
    textOf(row['InvoiceIssuerName']) ??
    textOf(row['PublisherName']) ??
    ''
  );
}

function providerOf(row: FocusRow, details: Fields): string {
  const name = nameOf(row);
  return (
    // Files of this service state the slug.
    textOf(details['x_Provider']) ??
    PROVIDERS.find(([pattern]) => pattern.test(name))?.[1] ??
    (name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '') ||
      'unknown')
  );
}

const CATEGORIES: Readonly<Record<string, LineKind>> = {
  credit: 'credit',
  tax: 'tax',
  purchase: 'capacity',
  adjustment: 'fee',
};

/** Rows are grouped by model, tier, user or key. Only models are compared one by one. */
const NAME_COLUMNS = [
  'SkuMeter',
  'x_UsageType',
  'x_SkuMeterName',
  'x_SkuDescription',
  'ChargeDescription',
  'SkuId',
  'ResourceName',
] as const satisfies readonly (keyof FocusRow)[];

const MODEL_SERVICES = /bedrock|openai|vertex|gemini|claude|anthropic|foundry|cognitive|\bai\b|llm|language model/i;

function readRow(row: FocusRow, details: Fields, provider: string): BillLine {
  const category = (textOf(row['ChargeCategory']) ?? 'Usage').toLowerCase();
  const kind = CATEGORIES[category] ?? 'usage';
  const start = readInstant(row['ChargePeriodStart'], 'ChargePeriodStart');
  const end = textOf(row['ChargePeriodEnd']);
  const billed = readAmount(row['BilledCost'], 'BilledCost');
  const service = textOf(row['ServiceName']) ?? '';
  const names = NAME_COLUMNS.map((column) => textOf(row[column])).filter((text) => text !== null);
  const meaning = category === 'usage' ? (readDetails(details) ?? readNames(provider, names, service)) : null;
  const isModel =
    meaning !== null ||
    MODEL_SERVICES.test(`${service} ${textOf(row['ServiceCategory']) ?? ''}`) ||
    MODEL_VENDORS.has(provider);
  const common = {
    ...(kind === 'usage'
      ? daysOf(start, end === null ? null : readInstant(end, 'ChargePeriodEnd'))
      : daysOf(start, null)),
    label: kind === 'usage' && isModel ? (names[0] ?? service) : (textOf(row['ChargeDescription']) ?? service),
    provider: isModel || kind !== 'usage' ? provider : 'other',
    currency: (textOf(row['BillingCurrency']) ?? 'USD').toUpperCase(),
    scopes: scopesOf({ account: textOf(row['SubAccountId']), key: textOf(details['x_ApiKeyId']) }),
    digits: fractionDigits([billed], 2),
  };
  if (kind === 'tax') return billLine({ ...common, kind, tax: billed });
  if (kind === 'credit') return billLine({ ...common, kind, credit: billed });
  if (kind !== 'usage') return billLine({ ...common, kind, net: billed });
  if (!isModel) return billLine({ ...common, label: service, kind: 'other', net: billed });
  const list = readAmount(row['ListCost'], 'ListCost');
  return billLine({
    ...common,
    kind: meaning?.kind ?? 'usage',
    meaning,
    quantity: quantityOf(row, meaning),
    list,
    discount: list === null || billed === null ? null : billed.minus(list),
    net: billed,
  });
}

const MODEL_VENDORS = new Set(['anthropic', 'openai', 'openrouter']);

function detailsOf(value: unknown): Fields {
  if (isFields(value)) return value;
  const text = textOf(value);
  if (text === null || !text.startsWith('{')) return {};
  return objectsInText(text)[0] ?? {};
}

/** Reads model and token class from `SkuPriceDetails`. */
function readDetails(details: Fields): LineMeaning | null {
  const model = textOf(details['x_ModelId']) ?? textOf(details['ModelId']);
  const named = textOf(details['x_TokenClass']) ?? textOf(details['x_TokenType']);
  const tokenClass = CLASSES_BY_NAME[(named ?? '').toLowerCase().replaceAll('_', '')];
  const unit = textOf(details['x_Unit']);
  if (model === null || (tokenClass === undefined && (unit === null || unit === 'tokens'))) return null;
  return {
    rule: 'focus.sku-price-details',
    verified: true,
    kind: 'usage',
    model,
    tokenClass: tokenClass ?? null,
    context: textOf(details['x_PricingContext']) ?? '',
    unit: tokenClass === undefined && unit !== null ? billUnitOf(unit, unit) : 'tokens',
    per: 1,
  };
}

const CLASSES_BY_NAME: Readonly<Record<string, TokenClass>> = Object.fromEntries(
  TOKEN_CLASS_NAMES.map((name) => [wireName(name).replaceAll('_', ''), name]),
);

function readNames(provider: string, names: readonly string[], service: string): LineMeaning | null {
  for (const name of names) {
    const meaning = readName(provider, name, names.join(' '), service);
    if (meaning !== null) return meaning;
  }
  return null;
}

function readName(provider: string, name: string, description: string, service: string): LineMeaning | null {
  switch (provider) {
    case 'aws':
      return readBedrockUsageType(name, description, service);
    case 'azure':
      return readAzureMeter(name);
    case 'google':
      return readVertexSku(name);
    case 'openai':
      return readOpenaiLineItem(name);
    default:
      return null;
  }
}

/** The consumed quantity if its unit is known, otherwise the pricing quantity (for Vercel, an amount of money). */
function quantityOf(row: FocusRow, meaning: LineMeaning | null): Quantity | null {
  if (meaning === null) return null;
  return scaled(row, 'Consumed', meaning) ?? scaled(row, 'Pricing', meaning);
}

function scaled(row: FocusRow, kind: 'Consumed' | 'Pricing', meaning: LineMeaning): Quantity | null {
  const amount = readQuantity(row[`${kind}Quantity`], `${kind}Quantity`);
  const unit = (textOf(row[`${kind}Unit`]) ?? '').toLowerCase();
  if (amount === null) return null;
  if (meaning.unit !== 'tokens') return unit === 'usd' ? null : amount;
  if (/^tokens?$/.test(unit)) return amount;
  if (/^(?:1?k|1,?000|thousand)[\s-]*(?:tokens?)?$/.test(unit)) return amount.times(THOUSAND);
  if (/^(?:1?m|1,?000,?000|million)[\s-]*(?:tokens?)?$/.test(unit)) return amount.times(MILLION);
  return null;
}
