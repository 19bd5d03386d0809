/** `start_date` and `end_date`, identical on all endpoints (decision 9, D28, D29). */
import { parseWindow, type WindowRules } from '#kernel/time/window.ts';
import type { ParameterSet } from './parameter.ts';

const FORMS = 'ISO 8601 date (UTC midnight) or date-time; without offset it is UTC.';
const schema = { type: 'string', examples: ['2026-01-01', '2026-01-01T00:00:00Z'] };

interface DateRangeRules extends Omit<WindowRules, 'now'> {
  /** True if both dates are required. */
  readonly required: boolean;
}

export function dateRange({ required, ...lengths }: DateRangeRules): ParameterSet {
  const defaults = required
    ? { start: '', end: '' }
    : { start: ' Default: the first instant of the UTC month in which the range ends.', end: ' Default: now.' };
  const openPoint = required ? {} : { openPoint: 'D28' };
  return {
    describe: [
      {
        name: 'start_date',
        in: 'query',
        required,
        description: `Inclusive. ${FORMS}${defaults.start}`,
        schema,
        ...openPoint,
      },
      {
        name: 'end_date',
        in: 'query',
        required,
        description: `Exclusive. ${FORMS}${defaults.end}`,
        schema,
        ...openPoint,
      },
    ],
    variables: ['start', 'end'],
    read: ({ query, now }) => {
      const { start, end } = parseWindow(
        { start: query.start_date, end: query.end_date },
        required ? lengths : { ...lengths, now },
      );
      return { start: start.iso, end: end.iso };
    },
  };
}
