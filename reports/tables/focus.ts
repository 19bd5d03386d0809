import type { OrganizationId } from '#kernel/ids.ts';
import { FOCUS_COLUMNS, type FocusColumn } from '#schema/focus/columns.generated.ts';
import { graphql } from '#schema/graphql.ts';
import { addMonths } from '#kernel/time/calendar.ts';
import { daysLater } from '#kernel/time/duration.ts';
import { type ChargeDayRow, readChargeDays } from '../read-charge-days.ts';
import type { Columns, ReportRow, ReportTable } from '../report-table.ts';
import { EXAMPLE_CHARGE } from './charge-day.ts';

const CALLER = graphql('query ReportedCaller { caller { organizationId } }');

interface FocusFacts {
  readonly type: 'text' | 'decimal' | 'instant' | 'json';
  readonly versions: Readonly<Record<string, { readonly level: string; readonly isNullable: boolean }>>;
}

/** The compiler checks that a column which is mandatory in a version is filled. */
type MandatoryColumn = {
  [Name in FocusColumn]: Extract<
    (typeof FOCUS_COLUMNS)[Name]['versions'][keyof (typeof FOCUS_COLUMNS)[Name]['versions']],
    { readonly level: 'mandatory' }
  > extends never
    ? never
    : Name;
}[FocusColumn];

interface Filled {
  readonly about: string;
  readonly value: (charge: ChargeDayRow, organizationId: OrganizationId) => string | null;
}

const always =
  (text: string): Filled['value'] =>
  () =>
    text;

/**
 * How each column is filled. There are no unit prices: a day can contain several prices of a model, and FOCUS requires that
 * price × quantity equals the cost.
 */
const FILLED: Readonly<Record<MandatoryColumn, Filled> & Partial<Record<FocusColumn, Filled>>> = {
  BilledCost: {
    about: 'The contracted cost. To compare it with the bill of a provider, import the bill.',
    value: (charge) => charge.contracted_amount,
  },
  BillingAccountId: { about: "The organization's UUID.", value: (_, organizationId) => organizationId },
  BillingAccountName: { about: 'Empty.', value: () => null },
  BillingCurrency: { about: 'Always `USD`.', value: always('USD') },
  BillingPeriodEnd: {
    about: 'End of the UTC month, exclusive.',
    value: ({ day }) => instant(addMonths(monthOf(day), 1)),
  },
  BillingPeriodStart: { about: 'Start of the UTC month.', value: ({ day }) => instant(monthOf(day)) },
  ChargeCategory: { about: 'Always `Usage`.', value: always('Usage') },
  ChargeClass: { about: 'Empty: corrections are included in the charge that they correct.', value: () => null },
  ChargeDescription: {
    about: 'Model, class and pricing context.',
    value: (charge) => [charge.model, charge.class, charge.context].filter(Boolean).join(' '),
  },
  ChargeFrequency: { about: 'Always `Usage-Based`.', value: always('Usage-Based') },
  ChargePeriodEnd: { about: 'End of the UTC day, exclusive.', value: ({ day }) => instant(daysLater(startOf(day), 1)) },
  ChargePeriodStart: { about: 'Start of the UTC day.', value: ({ day }) => instant(startOf(day)) },
  ConsumedQuantity: { about: 'Number of charged tokens or units.', value: ({ quantity }) => quantity },
  ConsumedUnit: { about: '`Tokens`, or another unit.', value: ({ unit }) => unitOf(unit) },
  ContractedCost: {
    about: "Amount at the organization's rates and discounts: `contracted_amount` of `charge_day`.",
    value: (charge) => charge.contracted_amount,
  },
  EffectiveCost: {
    about: 'Amount that counts as cost: `effective_amount` of `charge_day`.',
    value: (charge) => charge.effective_amount,
  },
  HostProviderName: { about: 'The provider.', value: providerOf },
  InvoiceIssuerName: { about: 'The provider.', value: providerOf },
  InvoiceId: { about: 'Empty.', value: () => null },
  ListCost: {
    about: "Amount at the catalogue's prices: `list_amount` of `charge_day`.",
    value: (charge) => charge.list_amount,
  },
  PricingQuantity: { about: 'Number of charged tokens or units.', value: ({ quantity }) => quantity },
  PricingUnit: { about: '`Tokens`, or another unit.', value: ({ unit }) => unitOf(unit) },
  ProviderName: { about: 'The provider.', value: providerOf },
  PublisherName: { about: 'The provider.', value: providerOf },
  ServiceCategory: { about: 'Always `AI and Machine Learning`.', value: always('AI and Machine Learning') },
  ServiceName: { about: "The provider's API.", value: (charge) => `${providerOf(charge)} API` },
  ServiceProviderName: { about: 'The provider.', value: providerOf },
  ServiceSubcategory: { about: 'Always `Generative AI`.', value: always('Generative AI') },
  SkuId: { about: 'Provider, model, class and unit.', value: skuOf },
  SkuMeter: { about: 'The class, as in `charge_day`.', value: (charge) => charge.class },
  SkuPriceDetails: {
    about:
      'JSON with `x_Provider`, `x_ModelId`, and either `x_TokenClass` or `x_Unit`; `x_PricingContext` for a price that is not the standard price.',
    value: (charge) =>
      JSON.stringify({
        x_Provider: charge.provider,
        x_ModelId: charge.model,
        ...(charge.unit === 'token'
          ? { x_TokenClass: charge.class }
          : { x_Unit: charge.class === 'units' ? charge.unit : charge.class }),
        ...(charge.context === '' ? {} : { x_PricingContext: charge.context }),
      }),
  },
  SkuPriceId: {
    about: 'The SKU and the pricing context.',
    value: (charge) =>
      [skuOf(charge), ...(charge.context === '' ? [] : [encodeURIComponent(charge.context)])].join('/'),
  },
  Tags: {
    about:
      'JSON with `user_id` or `agent_id` for files by customer or agent; otherwise, and for events without one, empty.',
    value: ({ end_user: endUser, agent }) => {
      const tags = { ...(endUser !== null && { user_id: endUser }), ...(agent !== null && { agent_id: agent }) };
      return Object.keys(tags).length > 0 ? JSON.stringify(tags) : null;
    },
  },
};

const NAMES = (Object.keys(FOCUS_COLUMNS) as FocusColumn[]).filter((name) => FILLED[name] !== undefined);
const EDITIONS = ['1.2', '1.4'] as const;

const columns: Columns = Object.fromEntries(
  NAMES.map((name) => {
    const { type, versions }: FocusFacts = FOCUS_COLUMNS[name];
    const isNullable = Object.values(versions).some((version) => version.isNullable);
    const editions = Object.keys(versions);
    return [
      name,
      {
        type: type === 'json' ? 'text' : type,
        about: FILLED[name]!.about,
        ...(isNullable && { isNullable }),
        ...(editions.length < EDITIONS.length && { editions }),
      },
    ];
  }),
);

/** Charges in the format of the FinOps Foundation: the dataset "Cost and Usage". */
export const focus: ReportTable = {
  name: 'focus',
  title: 'FOCUS',
  version: 1,
  scope: 'costs:read',
  about: 'The rows of `charge_day` as FOCUS Cost and Usage, for FinOps tools.',
  grains: ['sku', 'customer', 'agent'],
  editions: EDITIONS,
  isForPrograms: true,
  columns,
  key: ['ChargePeriodStart', 'SkuPriceId', 'Tags'],
  example: rowOf(EXAMPLE_CHARGE, '019b7a3c-52d1-7c40-9d3b-6f1f0f5f7a10'),
  async *rows(source) {
    const { organizationId } = (await source.ask(CALLER, {})).caller;
    for await (const charges of readChargeDays(source))
      yield charges.map((charge) => rowOf(charge, organizationId ?? ''));
  },
};

function rowOf(charge: ChargeDayRow, organizationId: OrganizationId): ReportRow {
  return Object.fromEntries(NAMES.map((name) => [name, FILLED[name]!.value(charge, organizationId)]));
}

function providerOf({ provider }: ChargeDayRow): string {
  return provider;
}

/** Parts are encoded, so that a slash in a name cannot make two SKUs equal. */
function skuOf(charge: ChargeDayRow): string {
  return [charge.provider, charge.model, charge.class, charge.unit].map(encodeURIComponent).join('/');
}

/** `token` → `Tokens`, `web_searches` → `Web Searches`. */
function unitOf(unit: string): string {
  if (unit === 'token') return 'Tokens';
  return unit.replaceAll('_', ' ').replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

function monthOf(day: string): Date {
  return startOf(`${day.slice(0, '2026-11'.length)}-01`);
}

/** FOCUS writes times without fractions of a second. */
function instant(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}
