/** Parses the input for a fixed cost. */
import { amount, type Exact, money, NO_QUANTITY, plain, quantity } from '#kernel/money.ts';
import { parseDayRange } from '#kernel/time/day-range.ts';
import { fail } from '#kernel/errors.ts';
import { TOKEN_CLASS_NAMES, wireName } from '#schema/token-classes.ts';
import type { FixedCostPeriodInput, FixedCostSaveInput, FixedCostScopeInput } from '../resolvers.generated.ts';
import { amountOfDay, daysBetween } from './amount-of-day.ts';
import {
  type Driver,
  type FixedCostTerms,
  MEASURED_DRIVERS,
  type Period,
  RATE_UNITS,
  type RateUnit,
  type Scope,
  SCOPE_DIMENSIONS,
  type ScopeDimension,
} from './fixed-cost.ts';

const KEY = /^[a-z0-9][a-z0-9_.-]{0,63}$/;
const UNIT_NAME = /^[a-z][a-z0-9_]{0,63}$/;
const TEXT_MAX = 255;
const NAMES_MAX = 100;
const PERIODS_MAX = 120;
const SHARES_MAX = 1_000;
/** Maximum number of days in the past on which a fixed cost may begin, because each day is allocated. */
const DAYS_MAX = 1_100;
const CLASSES: ReadonlySet<string> = new Set(TOKEN_CLASS_NAMES.map(wireName));
/** Maximum USD per unit of time and piece, and per day. With this limit, the amount of a year fits into the ledger. */
const AMOUNT_MAX = money('1000000000');
const DAY_AMOUNT_MAX = amount('1000000000');
const WEIGHT_MAX = quantity(1_000_000);
const QUANTITY_MAX = quantity(1_000_000);
const PERCENT_MAX = quantity(100);
const CAPACITY_MAX = quantity('1000000000000000');

/** Fails with `VALIDATION_ERROR`. */
export function parseFixedCost(input: FixedCostSaveInput, today: string): FixedCostTerms {
  const driver = input.driver.toLowerCase() as Driver;
  if (!KEY.test(input.key))
    fail('VALIDATION_ERROR', 'key must have 1 to 64 lower-case letters, digits, dots, hyphens or underscores');
  if (input.unit != null && driver !== 'units') fail('VALIDATION_ERROR', 'unit is only for the driver UNITS');
  if (input.unit != null && !UNIT_NAME.test(input.unit))
    fail('VALIDATION_ERROR', 'unit must be the name of a unit, such as web_searches');
  if (input.weights != null && input.weights.length > 0 && driver !== 'tokens')
    fail('VALIDATION_ERROR', 'weights are only for the driver TOKENS');
  if (input.capacityPerDay != null && !MEASURED_DRIVERS.has(driver))
    fail('VALIDATION_ERROR', 'capacityPerDay is only for the drivers TOKENS, EVENTS, COST and UNITS');
  return {
    key: input.key,
    name: parseText('name', input.name),
    provider: input.provider == null || input.provider.trim() === '' ? null : parseText('provider', input.provider),
    driver,
    unit: input.unit ?? null,
    capacity:
      input.capacityPerDay == null
        ? null
        : amount(plain(checkPositive('capacityPerDay', quantity(String(input.capacityPerDay)), CAPACITY_MAX, 15))),
    weights: parseWeights(input.weights ?? []),
    scope: parseScope(input.scope ?? {}),
    shares: parseShares(driver, input.shares ?? []),
    replacesModelCost: input.replacesModelCost ?? false,
    periods: parsePeriods(input.periods, today),
  };
}

function parseWeights(
  weights: readonly { readonly class: string; readonly weight: unknown }[],
): Record<string, string> {
  const parsed: Record<string, string> = {};
  for (const { class: name, weight } of weights) {
    if (!CLASSES.has(name)) fail('VALIDATION_ERROR', `weights: unknown token class ${name}`);
    if (Object.hasOwn(parsed, name)) fail('VALIDATION_ERROR', `weights contains ${name} more than once`);
    const value = quantity(String(weight));
    if (value.lt(0) || value.gt(WEIGHT_MAX) || value.decimalPlaces() > 6)
      fail('VALIDATION_ERROR', 'weights: a weight must be from 0 to 1000000, with up to 6 decimals');
    parsed[name] = plain(value);
  }
  return parsed;
}

function parseScope({ models, endUsers, dimensions }: FixedCostScopeInput): Scope {
  const conditions = (dimensions ?? []).map(({ key, values }) => {
    if (!SCOPE_DIMENSIONS.includes(key as ScopeDimension))
      fail('VALIDATION_ERROR', `scope: unknown dimension ${key}. Use one of: ${SCOPE_DIMENSIONS.join(', ')}`);
    const names = parseNames('dimensions', values);
    return { key: key as ScopeDimension, values: names ?? fail('VALIDATION_ERROR', `scope: ${key} has no values`) };
  });
  if (new Set(conditions.map(({ key }) => key)).size < conditions.length)
    fail('VALIDATION_ERROR', 'scope: dimensions must not contain a key more than once');
  return {
    models: parseNames('models', models)?.map(parseModel) ?? null,
    endUsers: parseNames('endUsers', endUsers),
    dimensions: conditions,
  };
}

function parseModel(text: string): string {
  const model = text.trim().toLowerCase();
  if (model.slice(0, -1).includes('*'))
    fail('VALIDATION_ERROR', `scope: models: ${text} must not contain * except at the end`);
  return model;
}

function parseNames(name: string, values: readonly string[] | null | undefined): string[] | null {
  if (values == null || values.length === 0) return null;
  if (values.length > NAMES_MAX) fail('VALIDATION_ERROR', `scope: ${name} must contain at most ${NAMES_MAX}`);
  return [...new Set(values.map((value) => parseExact(`scope: ${name}`, value)))];
}

function parseShares(
  driver: Driver,
  shares: readonly { readonly endUser: string; readonly percent: unknown }[],
): FixedCostTerms['shares'] {
  if (driver !== 'shares' && shares.length > 0) fail('VALIDATION_ERROR', 'shares are only for the driver SHARES');
  if (driver === 'shares' && shares.length === 0)
    fail('VALIDATION_ERROR', 'The driver SHARES requires at least one share');
  if (shares.length > SHARES_MAX) fail('VALIDATION_ERROR', `shares must contain at most ${SHARES_MAX}`);
  const parsed = shares.map(({ endUser, percent }) => ({
    externalId: parseExact('shares: endUser', endUser),
    percent: checkPositive('shares: percent', quantity(String(percent)), PERCENT_MAX, 6),
  }));
  if (new Set(parsed.map(({ externalId }) => externalId)).size < parsed.length)
    fail('VALIDATION_ERROR', 'shares must not contain an end user more than once');
  if (parsed.reduce((total, { percent }) => total.plus(percent), NO_QUANTITY).gt(PERCENT_MAX))
    fail('VALIDATION_ERROR', 'shares must not add up to more than 100 percent');
  return parsed.map(({ externalId, percent }) => ({ externalId, percent: plain(percent) }));
}

function parsePeriods(inputs: readonly FixedCostPeriodInput[], today: string): Period[] {
  if (inputs.length === 0) fail('VALIDATION_ERROR', 'periods must contain at least one period');
  if (inputs.length > PERIODS_MAX) fail('VALIDATION_ERROR', `periods must contain at most ${PERIODS_MAX}`);
  const periods = inputs
    .map((input) => parsePeriod(input, today))
    .toSorted((one, other) => (one.fromDay < other.fromDay ? -1 : 1));
  periods.forEach(({ fromDay }, index) => {
    const before = periods[index - 1];
    if (before !== undefined && (before.untilDay === null || before.untilDay > fromDay))
      fail('VALIDATION_ERROR', `periods: the period from ${before.fromDay} overlaps the one from ${fromDay}`);
  });
  return periods;
}

function parsePeriod(input: FixedCostPeriodInput, today: string): Period {
  const { from, until } = parseDayRange(input);
  if (from === null) return fail('VALIDATION_ERROR', 'periods: from is required');
  if (until !== null && until <= from) fail('VALIDATION_ERROR', 'periods: until must be after from');
  if (daysBetween(from, today) > DAYS_MAX)
    fail('VALIDATION_ERROR', `periods: from must not be more than ${DAYS_MAX} days ago`);
  const per = input.per.toLowerCase() as RateUnit;
  if (!RATE_UNITS.includes(per)) fail('VALIDATION_ERROR', 'periods: unknown per');
  if (per === 'period' && until === null)
    fail('VALIDATION_ERROR', 'periods: an amount per PERIOD requires until, the day after the last');
  if (per === 'period' && daysBetween(from, until!) > 10 * DAYS_MAX)
    fail(
      'VALIDATION_ERROR',
      `periods: a period with an amount per PERIOD must not be longer than ${10 * DAYS_MAX} days`,
    );
  if (input.currency !== 'USD')
    fail('VALIDATION_ERROR', `periods: amounts in ${input.currency} cannot be converted yet. Enter the amount in USD`);
  const period: Period = {
    fromDay: from,
    untilDay: until,
    amount: checkPositive('periods: amount', money(String(input.amount)), AMOUNT_MAX, 15),
    per,
    quantity: checkPositive('periods: quantity', quantity(String(input.quantity)), QUANTITY_MAX, 6),
  };
  if (amountOfDay([period], from)! > DAY_AMOUNT_MAX)
    fail('VALIDATION_ERROR', `periods: amount times quantity must be at most ${plain(DAY_AMOUNT_MAX)} USD per day`);
  return period;
}

function checkPositive<T extends Exact<T | 0>>(name: string, value: T, max: T, decimals: number): T {
  if (value.lte(0) || value.gt(max) || value.decimalPlaces() > decimals)
    fail('VALIDATION_ERROR', `${name} must be above 0 and at most ${plain(max)}, with up to ${decimals} decimals`);
  return value;
}

function parseText(name: string, value: string): string {
  return parseExact(name, value.trim());
}

/** External ids and values of dimensions are compared as sent, with their spaces. */
function parseExact(name: string, text: string): string {
  if (text === '' || text.length > TEXT_MAX || text.includes('\0'))
    fail('VALIDATION_ERROR', `${name} must have 1 to ${TEXT_MAX} characters`);
  return text;
}
