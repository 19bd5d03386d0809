/** Parses what a person enters for an agreement, a credit or a commitment: names, selected models and classes, and an amount. Fails with `VALIDATION_ERROR`. */
import { type Amount, amount, money, plain } from '#kernel/money.ts';
import { fail } from '#kernel/errors.ts';

const TEXT_MAX = 255;
const NAMES_MAX = 100;
const AMOUNT_MAX = money('1000000000');

export function parseText(name: string, value: string): string {
  const text = value.trim();
  if (text === '' || text.length > TEXT_MAX || text.includes('\0'))
    fail('VALIDATION_ERROR', `${name} must have 1 to ${TEXT_MAX} characters`);
  return text;
}

/** Null for all. */
export function parseNames(name: string, values: readonly string[] | null | undefined): string[] | null {
  if (values == null || values.length === 0) return null;
  if (values.length > NAMES_MAX) fail('VALIDATION_ERROR', `${name} must contain at most ${NAMES_MAX}`);
  return [...new Set(values.map((value) => parseText(name, value)))];
}

/** The names of models in lower case; null for all. */
export function parseModels(values: readonly string[] | null | undefined): string[] | null {
  return parseNames('models', values)?.map(parseModel) ?? null;
}

function parseModel(text: string): string {
  if (text.slice(0, -1).includes('*')) fail('VALIDATION_ERROR', `models: ${text} must not contain * except at the end`);
  return text.toLowerCase();
}

/** Parses an amount. Currencies other than USD are refused. */
export function parseUsd({
  amount: entered,
  currency,
}: {
  readonly amount: unknown;
  readonly currency: string;
}): Amount {
  if (currency !== 'USD')
    fail('VALIDATION_ERROR', `Amounts in ${currency} cannot be converted yet. Enter the amount in USD`);
  const value = money(String(entered));
  if (value.lte(0) || value.gt(AMOUNT_MAX) || value.decimalPlaces() > 15)
    fail('VALIDATION_ERROR', `amount must be above 0 and at most ${plain(AMOUNT_MAX)}, with up to 15 decimals`);
  return amount(plain(value));
}
