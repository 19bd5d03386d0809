/** Parses the input for a provider's credit. */
import { addDays } from '#kernel/time/utc-day.ts';
import { parseDayRange } from '#kernel/time/day-range.ts';
import { fail } from '#kernel/errors.ts';
import { parseModels, parseNames, parseText, parseUsd } from '../provider-costs/parse-terms.ts';
import type { ProviderCreditSaveInput } from '../resolvers.generated.ts';
import type { ProviderCreditTerms } from './provider-credit.ts';

const ORDER_MAX = 1_000_000;
/** Maximum number of days in the past on which a credit may begin, because the costs of each day are read. */
const DAYS_MAX = 1_100;

/** The provider as entered. */
export type ProviderCreditDraft = Omit<ProviderCreditTerms, 'providerSlug'> & { readonly provider: string };

/** Fails with `VALIDATION_ERROR`. */
export function parseProviderCredit(input: ProviderCreditSaveInput, today: string): ProviderCreditDraft {
  const { from, until } = parseDayRange(input);
  if (from === null) return fail('VALIDATION_ERROR', 'from is required');
  if (until !== null && until <= from) fail('VALIDATION_ERROR', 'until must be after from');
  if (from < addDays(today, -DAYS_MAX)) fail('VALIDATION_ERROR', `from must not be more than ${DAYS_MAX} days ago`);
  const order = input.order ?? null;
  if (order !== null && (order < 1 || order > ORDER_MAX))
    fail('VALIDATION_ERROR', `order must be from 1 to ${ORDER_MAX}`);
  return {
    kind: input.kind === 'PREPAYMENT' ? 'prepayment' : 'credit',
    provider: parseText('provider', input.provider),
    name: parseText('name', input.name),
    models: parseModels(input.models),
    classes: parseNames('classes', input.classes),
    amount: parseUsd(input),
    fromDay: from,
    untilDay: until,
    burnOrder: order,
  };
}
