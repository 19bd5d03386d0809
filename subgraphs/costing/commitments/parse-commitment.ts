/** Parses a commitment as a person enters it. */
import { amount, money, plain } from '#kernel/money.ts';
import { parseDayRange } from '#kernel/time/day-range.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { fail } from '#schema/errors.ts';
import { parseModel, parseNames, parseText } from '../provider-credits/parse-provider-credit.ts';
import type { CommitmentSaveInput } from '../resolvers.generated.ts';
import { type CommitmentTerms, periodsUntil } from './commitment.ts';

/** Days that a commitment may begin in the past: each of them is read. */
const DAYS_AGO_MAX = 1_100;
/** Twenty years. */
const DAYS_MAX = 7_305;
const AMOUNT_MAX = money('1000000000');

const PERIOD_LENGTHS = { MONTH: 'month', QUARTER: 'quarter', YEAR: 'year', TERM: 'term' } as const;

/** The provider as entered. */
export type CommitmentDraft = Omit<CommitmentTerms, 'providerSlug'> & { readonly provider: string };

/** Fails with `VALIDATION_ERROR`. */
export function parseCommitment(input: CommitmentSaveInput, today: string): CommitmentDraft {
  if (input.currency !== 'USD')
    fail('VALIDATION_ERROR', `Amounts in ${input.currency} cannot be converted yet. Enter the amount in USD`);
  const value = money(String(input.amount));
  if (value.lte(0) || value.gt(AMOUNT_MAX) || value.decimalPlaces() > 15)
    fail('VALIDATION_ERROR', `amount must be above 0 and at most ${plain(AMOUNT_MAX)}, with up to 15 decimals`);
  return {
    provider: parseText('provider', input.provider),
    name: parseText('name', input.name),
    models: parseNames('models', input.models)?.map(parseModel) ?? null,
    amount: amount(plain(value)),
    ...parseDays(input, today),
  };
}

function parseDays(
  input: CommitmentSaveInput,
  today: string,
): Pick<CommitmentTerms, 'periodLength' | 'fromDay' | 'untilDay'> {
  const periodLength = PERIOD_LENGTHS[input.period];
  const { from, until } = parseDayRange(input);
  if (from === null) return fail('VALIDATION_ERROR', 'from is required');
  if (from < addDays(today, -DAYS_AGO_MAX))
    fail('VALIDATION_ERROR', `from must not be more than ${DAYS_AGO_MAX} days ago`);
  if (until === null && periodLength === 'term')
    fail('VALIDATION_ERROR', 'until is required for a commitment with the period TERM');
  if (until !== null && until <= from) fail('VALIDATION_ERROR', 'until must be after from');
  if ((until ?? from) > addDays(from, DAYS_MAX))
    fail('VALIDATION_ERROR', `until must be at most ${DAYS_MAX} days after from`);
  const terms = { periodLength, fromDay: from, untilDay: until };
  const last = until === null ? undefined : periodsUntil(terms, until).at(-1);
  if (last !== undefined && last.untilDay !== until)
    fail('VALIDATION_ERROR', `until must be the end of a period, such as ${last.fromDay} or ${last.untilDay}`);
  return terms;
}
