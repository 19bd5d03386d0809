/** The checks of FOCUS files accept a valid row and find planted errors. */
import { expect, it } from 'vitest';
import { type FocusRow, violationsOf12 } from './check-focus-1-2.ts';
import { violationsOf14 } from './check-focus-1-4.ts';

/** The columns that are mandatory in both versions, as in the specification's examples. */
const SHARED: FocusRow = {
  BilledCost: '0.27',
  BillingAccountId: '100000000001',
  BillingAccountName: null,
  BillingCurrency: 'USD',
  BillingPeriodEnd: '2026-04-01T00:00:00Z',
  BillingPeriodStart: '2026-03-01T00:00:00Z',
  ChargeCategory: 'Usage',
  ChargeClass: null,
  ChargeDescription: 'Input tokens',
  ChargeFrequency: 'Usage-Based',
  ChargePeriodEnd: '2026-03-02T00:00:00Z',
  ChargePeriodStart: '2026-03-01T00:00:00Z',
  ContractedCost: '0.27',
  EffectiveCost: '0.27',
  InvoiceId: null,
  InvoiceIssuerName: 'OpenAI',
  ListCost: '0.3',
  PricingQuantity: '120000',
  PricingUnit: 'Tokens',
  ServiceCategory: 'AI and Machine Learning',
  ServiceName: 'OpenAI API',
  ServiceSubcategory: 'Generative AI',
};
const IN_12: FocusRow = { ...SHARED, ProviderName: 'OpenAI', PublisherName: 'OpenAI' };
const IN_14: FocusRow = { ...SHARED, ServiceProviderName: 'OpenAI', HostProviderName: null };

it('the FOCUS check accepts a row with all mandatory columns', () => {
  expect(violationsOf12([IN_12], [])).toEqual([]);
  expect(violationsOf14([IN_14])).toEqual([]);
});

it.each<readonly [FocusRow, RegExp]>([
  [{ BilledCost: null }, /BilledCost MUST NOT be null/],
  [{ BilledCost: '35.2E+7' }, /BilledCost MUST conform to NumericFormat/],
  [{ ChargePeriodStart: '2026-03-01' }, /ChargePeriodStart MUST be of type Date/],
  [{ ChargeCategory: 'Tokens' }, /ChargeCategory MUST be one of the allowed values/],
  [{ ChargeClass: 'Refund' }, /ChargeClass MUST be "Correction"/],
  [{ PricingUnit: null }, /PricingUnit MUST NOT be null when PricingQuantity is not null/],
  [{ ServiceCategory: 'Compute' }, /one and only one parent ServiceCategory/],
])('the FOCUS check finds %j in a file of version 1.2', (planted, message) => {
  expect(violationsOf12([{ ...IN_12, ...planted }], []).join('\n')).toMatch(message);
});

it('the FOCUS check finds missing columns, and a service in two categories', () => {
  const without = Object.fromEntries(Object.entries(IN_12).filter(([name]) => name !== 'BilledCost'));
  expect(violationsOf12([without], []).join('\n')).toMatch(/BilledCost MUST be present/);
  expect(violationsOf12([IN_12], ['USAGE_MEASUREMENT_SUPPORTED']).join('\n')).toMatch(
    /ConsumedQuantity MUST be present/,
  );
  const moved = { ServiceCategory: 'Compute', ServiceSubcategory: 'Containers' };
  expect(violationsOf12([IN_12, { ...IN_12, ...moved }], []).join('\n')).toMatch(/one and only one ServiceCategory/);
});

it.each<readonly [FocusRow, RegExp]>([
  [{ BilledCost: null }, /BilledCost must not be null/],
  [{ ListCost: '+333' }, /ListCost must not be/],
  [{ ChargeFrequency: 'Daily' }, /ChargeFrequency must not be Daily/],
  [{ ProviderName: 'OpenAI' }, /ProviderName is not a column of 1.4/],
  [{ ServiceCategory: 'Compute' }, /Generative AI belongs to AI and Machine Learning/],
])('the FOCUS check finds %j in a file of version 1.4', (planted, message) => {
  expect(violationsOf14([{ ...IN_14, ...planted }]).join('\n')).toMatch(message);
});
