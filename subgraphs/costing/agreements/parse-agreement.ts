/** Parses an agreement as a person enters it. */
import { money } from '#kernel/money.ts';
import { parseDayRange } from '#kernel/time/day-range.ts';
import { isUuid } from '#kernel/uuid.ts';
import { fail } from '#schema/errors.ts';
import { TOKEN_CLASS_NAMES, wireName } from '#schema/token-classes.ts';
import type { AgreementSaveInput, DiscountTermInput } from '../resolvers.generated.ts';
import type { Agreement } from './discounts/agreement.table.ts';
import type { DiscountTerm } from './discounts/agreement-term.table.ts';

const TEXT_MAX = 255;
const TERMS_MAX = 20;
const NAMES_MAX = 100;
/** Classes of tokens, and names that unit prices can have. */
const UNIT_NAME = /^[a-z][a-z0-9_]{0,63}$/;
const CLASSES: ReadonlySet<string> = new Set(TOKEN_CLASS_NAMES.map(wireName));

export interface AgreementDraft extends Omit<Agreement, 'id' | 'changedAt' | 'providerSlug'> {
  /** Null: a new one. */
  readonly id: string | null;
  /** As entered. */
  readonly provider: string;
  readonly terms: readonly DiscountTerm[];
}

/** Fails with `VALIDATION_ERROR`. */
export function parseAgreement(input: AgreementSaveInput): AgreementDraft {
  const { from, until } = parseDayRange(input);
  if (from === null) return fail('VALIDATION_ERROR', 'from is required');
  if (until !== null && until <= from) fail('VALIDATION_ERROR', 'until must be after from');
  if (input.id != null && !isUuid(input.id)) fail('NOT_FOUND', 'Unknown agreement');
  if (input.discounts.length === 0) fail('VALIDATION_ERROR', 'discounts must contain at least one discount');
  if (input.discounts.length > TERMS_MAX) fail('VALIDATION_ERROR', `discounts must contain at most ${TERMS_MAX}`);
  return {
    id: input.id ?? null,
    provider: parseText('provider', input.provider),
    name: parseText('name', input.name),
    reference:
      input.reference == null || input.reference.trim() === '' ? null : parseText('reference', input.reference),
    fromDay: from,
    untilDay: until,
    terms: input.discounts.map(parseDiscount),
  };
}

function parseDiscount({ models, classes, percent, ...range }: DiscountTermInput): DiscountTerm {
  const { from, until } = parseDayRange(range);
  if (from !== null && until !== null && until <= from)
    fail('VALIDATION_ERROR', 'discounts: until of a discount must be after its from');
  const value = money(String(percent));
  if (value.lte(0) || value.gt(100) || value.decimalPlaces() > 4)
    fail('VALIDATION_ERROR', 'discounts: percent must be above 0 and at most 100, with up to 4 decimals');
  return {
    models: parseNames('models', models)?.map((model) => model.toLowerCase()) ?? null,
    classes: parseNames('classes', classes)?.map(parseClass) ?? null,
    percent: value,
    fromDay: from,
    untilDay: until,
  };
}

function parseNames(name: string, values: readonly string[] | null | undefined): string[] | null {
  if (values == null || values.length === 0) return null;
  if (values.length > NAMES_MAX) fail('VALIDATION_ERROR', `discounts: ${name} must contain at most ${NAMES_MAX}`);
  return [...new Set(values.map((value) => parseText(`discounts: ${name}`, value)))];
}

function parseClass(name: string): string {
  if (!CLASSES.has(name) && !UNIT_NAME.test(name))
    fail('VALIDATION_ERROR', `discounts: classes contains ${name}, which is no token class or unit`);
  return name;
}

function parseText(name: string, value: string): string {
  const text = value.trim();
  if (text === '' || text.length > TEXT_MAX || text.includes('\0'))
    fail('VALIDATION_ERROR', `${name} must have 1 to ${TEXT_MAX} characters`);
  return text;
}
