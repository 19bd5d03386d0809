/** Parses the input for an agreement. */
import { quantity } from '#kernel/money.ts';
import { parseDayRange } from '#kernel/time/day-range.ts';
import { isUuid } from '#kernel/uuid.ts';
import { fail } from '#kernel/errors.ts';
import { parseNames, parseText } from '../provider-costs/parse-terms.ts';
import type { AgreementSaveInput, DiscountTermInput } from '../resolvers.generated.ts';
import type { Agreement } from '../rates/discounts/agreement.table.ts';
import type { DiscountTerm } from '../rates/discounts/agreement-term.table.ts';

const TERMS_MAX = 20;

export interface AgreementDraft extends Omit<Agreement, 'id' | 'changedAt' | 'providerSlug'> {
  /** Null for a new agreement. */
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
  const value = quantity(String(percent));
  if (value.lte(0) || value.gt(100) || value.decimalPlaces() > 4)
    fail('VALIDATION_ERROR', 'discounts: percent must be above 0 and at most 100, with up to 4 decimals');
  return {
    models: parseNames('discounts: models', models)?.map((model) => model.toLowerCase()) ?? null,
    classes: parseNames('discounts: classes', classes),
    percent: value,
    fromDay: from,
    untilDay: until,
  };
}
