/** Resolves relative windows to dates: the API takes only explicit dates (contract.md, "Versioning"). */
import { addMonths, startOfFiscalYear } from '#kernel/time/calendar.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { namedWindow, type WindowName as ServiceWindowName } from '#kernel/time/named-window.ts';
import type { Args } from '../kit/parse-args.ts';
import { UsageError } from '../kit/usage-error.ts';

/** Window names that users type, with the service's names (`time_window` of the cost summary). */
export const WINDOWS = {
  'this-month': 'current-period',
  'last-month': 'last-period',
  'last-7-days': 'last-7-days',
  'last-30-days': 'last-30-days',
  'last-90-days': 'last-90-days',
  ytd: 'ytd',
  'last-year': 'last-year',
} as const satisfies Record<string, ServiceWindowName>;

export type WindowName = keyof typeof WINDOWS;

/** The names that `--help` shows. */
export const WINDOW_NAMES = [...Object.keys(WINDOWS), 'fiscal-year-N', 'last-fiscal-year-N'];
export const ABOUT_WINDOW = 'Default: this-month; months and years are UTC; N: first month of the fiscal year, 1 to 12';

/** The same names as in addresses of pages. */
const FISCAL_YEAR = /^(last-)?fiscal-year-([1-9]|1[0-2])$/;

export interface DateRange {
  /** ISO 8601, inclusive. */
  readonly start_date: string;
  /** ISO 8601, exclusive. */
  readonly end_date: string;
}

/** The dates of a window; current windows end at `now`. */
export function resolveWindow(name: WindowName, now: Date): DateRange {
  const { start, end } = namedWindow(WINDOWS[name], now).window;
  return { start_date: start.iso, end_date: end.iso };
}

/** The current fiscal year up to now, or the whole previous one. */
function fiscalYear(isLast: boolean, firstMonth: number, now: Date): DateRange {
  const start = startOfFiscalYear(now, firstMonth);
  const [from, until] = isLast ? [addMonths(start, -12), start] : [start, now];
  return { start_date: from.toISOString(), end_date: until.toISOString() };
}

/** True if the window has no name in the service, so that only dates can be sent. */
export function isDated(args: Args): boolean {
  return args.has('start') || FISCAL_YEAR.test(args.optional('window') ?? '');
}

/** Window or dates from the arguments; default `this-month`. */
export function rangeOfArgs(args: Args, now: Date): DateRange {
  const start = dateOfArgs(args, 'start');
  const end = dateOfArgs(args, 'end');
  if (start === null && end === null) {
    const fiscal = FISCAL_YEAR.exec(args.optional('window') ?? '');
    if (fiscal !== null) return fiscalYear(fiscal[1] !== undefined, Number(fiscal[2]), now);
    return resolveWindow(windowOfArgs(args) ?? 'this-month', now);
  }
  if (args.has('window')) throw new UsageError('Give either --window, or --start and --end');
  if (start === null) throw new UsageError('--end requires --start');
  return { start_date: start, end_date: end ?? now.toISOString() };
}

/** The name given with `--window`; null if there is none. Fails with a usage error for an unknown name. */
export function windowOfArgs(args: Args): WindowName | null {
  const name = args.optional('window');
  if (name === undefined) return null;
  if (!Object.hasOwn(WINDOWS, name)) throw new UsageError(`--window must be one of ${WINDOW_NAMES.join(', ')}`);
  return name as WindowName;
}

/** Returned as entered: the service parses it the same way. */
function dateOfArgs(args: Args, flag: string): string | null {
  const text = args.optional(flag);
  if (text === undefined) return null;
  if (parseIso8601(text) === null)
    throw new UsageError(`--${flag} must be a date such as 2026-01-31, or a date-time such as 2026-01-31T12:00:00Z`);
  return text;
}
