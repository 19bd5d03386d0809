/** Parses a provider's credit as a person enters it. */
import { addDays } from '#kernel/time/utc-day.ts';
import { amount, money, plain } from '#kernel/money.ts';
import { parseDayRange } from '#kernel/time/day-range.ts';
import { fail } from '#schema/errors.ts';
import { TOKEN_CLASS_NAMES, wireName } from '#schema/token-classes.ts';
import type { ProviderCreditSaveInput } from '../resolvers.generated.ts';
import type { ProviderCreditTerms } from './provider-credit.ts';

const TEXT_MAX = 255;
const NAMES_MAX = 100;
const ORDER_MAX = 1_000_000;
/** Days that a credit may begin in the past: each of them is read. */
const DAYS_MAX = 1_100;
const AMOUNT_MAX = money('1000000000');
const UNIT_NAME = /^[a-z][a-z0-9_]{0,63}$/;
const CLASSES: ReadonlySet<string> = new Set(TOKEN_CLASS_NAMES.map(wireName));

/** The provider as entered. */
export type ProviderCreditDraft = Omit<ProviderCreditTerms, 'providerSlug'> & { readonly provider: string };

/** Fails with `VALIDATION_ERROR`. */
export function parseProviderCredit(input: ProviderCreditSaveInput, today: string): ProviderCreditDraft {
  const { from, until } = parseDayRange(input);
  if (from === null) return fail('VALIDATION_ERROR', 'from is required');
  if (until !== null && until <= from) fail('VALIDATION_ERROR', 'until must be after from');
  if (from < addDays(today, -DAYS_MAX)) fail('VALIDATION_ERROR', `from must not be more than ${DAYS_MAX} days ago`);
  if (input.currency !== 'USD')
    fail('VALIDATION_ERROR', `Amounts in ${input.currency} cannot be converted yet. Enter the amount in USD`);
  const value = money(String(input.amount));
  if (value.lte(0) || value.gt(AMOUNT_MAX) || value.decimalPlaces() > 15)
    fail('VALIDATION_ERROR', `amount must be above 0 and at most ${plain(AMOUNT_MAX)}, with up to 15 decimals`);
  const order = input.order ?? null;
  if (order !== null && (order < 1 || order > ORDER_MAX))
    fail('VALIDATION_ERROR', `order must be from 1 to ${ORDER_MAX}`);
  return {
    kind: input.kind === 'PREPAYMENT' ? 'prepayment' : 'credit',
    provider: parseText('provider', input.provider),
    name: parseText('name', input.name),
    models: parseNames('models', input.models)?.map(parseModel) ?? null,
    classes: parseNames('classes', input.classes)?.map(parseClass) ?? null,
    amount: amount(plain(value)),
    fromDay: from,
    untilDay: until,
    burnOrder: order,
  };
}

export function parseNames(name: string, values: readonly string[] | null | undefined): string[] | null {
  if (values == null || values.length === 0) return null;
  if (values.length > NAMES_MAX) fail('VALIDATION_ERROR', `${name} must contain at most ${NAMES_MAX}`);
  return [...new Set(values.map((value) => parseText(name, value)))];
}

export function parseModel(text: string): string {
  if (text.slice(0, -1).includes('*')) fail('VALIDATION_ERROR', `models: ${text} must not contain * except at the end`);
  return text.toLowerCase();
}

function parseClass(name: string): string {
  if (!CLASSES.has(name) && !UNIT_NAME.test(name))
    fail('VALIDATION_ERROR', `classes contains ${name}, which is no token class or unit`);
  return name;
}

export function parseText(name: string, value: string): string {
  const text = value.trim();
  if (text === '' || text.length > TEXT_MAX || text.includes('\0'))
    fail('VALIDATION_ERROR', `${name} must have 1 to ${TEXT_MAX} characters`);
  return text;
}
