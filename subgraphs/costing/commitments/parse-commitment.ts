/** Parses the input for a commitment. */
import { parseDayRange } from '#kernel/time/day-range.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { fail } from '#kernel/errors.ts';
import { parseModels, parseText, parseUsd } from '../provider-costs/parse-terms.ts';
import type { CommitmentSaveInput } from '../resolvers.generated.ts';
import { type CommitmentTerms, periodsUntil } from './commitment.ts';

/** Maximum number of days in the past on which a commitment may begin, because the costs of each day are read. */
const DAYS_AGO_MAX = 1_100;
/** Twenty years. */
const DAYS_MAX = 7_305;

const PERIOD_LENGTHS = { MONTH: 'month', QUARTER: 'quarter', YEAR: 'year', TERM: 'term' } as const;

/** The provider as entered. */
export type CommitmentDraft = Omit<CommitmentTerms, 'providerSlug'> & { readonly provider: string };

/** Fails with `VALIDATION_ERROR`. */
export function parseCommitment(input: CommitmentSaveInput, today: string): CommitmentDraft {
  return {
    provider: parseText('provider', input.provider),
    name: parseText('name', input.name),
    models: parseModels(input.models),
    amount: parseUsd(input),
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
