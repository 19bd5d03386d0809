/** Periods that pages offer by name, and the period that each is compared with. Current ones end now. UTC. */
import { addMonths, monthStart, startOfFiscalYear } from '#kernel/time/calendar.ts';
import { DAY_MS, daysEarlier } from '#kernel/time/duration.ts';
import { namedWindow, type WindowName } from '#kernel/time/named-window.ts';

interface Period {
  readonly start: Date;
  readonly end: Date;
}

interface ComparedPeriods {
  readonly period: Period;
  readonly previous: Period;
}

interface OfferedPeriod {
  readonly label: string;
  /** The period that it is compared with, in words. */
  readonly before: string;
  /** False for those listed under "More". */
  readonly isCommon: boolean;
  /** First month of a fiscal year: the period is offered only to organizations whose fiscal year begins then. */
  readonly fiscalYearStart?: number;
  at(now: Date): ComparedPeriods;
}

const CALENDAR = {
  today: {
    label: 'Today',
    before: 'the same hours yesterday',
    isCommon: true,
    at: (now) => ({
      period: { start: dayStart(now), end: now },
      previous: { start: daysEarlier(dayStart(now), 1), end: daysEarlier(now, 1) },
    }),
  },
  '7d': { label: '7 days', before: 'the previous 7 days', isCommon: true, at: named('last-7-days') },
  '30d': { label: '30 days', before: 'the previous 30 days', isCommon: true, at: named('last-30-days') },
  '90d': { label: '90 days', before: 'the previous 90 days', isCommon: true, at: named('last-90-days') },
  month: {
    label: 'This month',
    before: 'the same days of last month',
    isCommon: true,
    at: named('current-period'),
  },
  'last-month': { label: 'Last month', before: 'the previous month', isCommon: true, at: named('last-period') },
  yesterday: {
    label: 'Yesterday',
    before: 'the day before',
    isCommon: false,
    at: (now) => consecutive(daysEarlier(dayStart(now), 2), daysEarlier(dayStart(now), 1), dayStart(now)),
  },
  'last-quarter': {
    label: 'Last quarter',
    before: 'the quarter before',
    isCommon: false,
    at: (now) => wholeMonths(monthStart(now.getUTCFullYear(), now.getUTCMonth() - (now.getUTCMonth() % 3)), 3),
  },
  '12-months': {
    label: 'Last 12 months',
    before: 'the 12 months before',
    isCommon: false,
    at: (now) => wholeMonths(monthStart(now.getUTCFullYear(), now.getUTCMonth()), 12),
  },
  year: { label: 'This year', before: 'the same period last year', isCommon: false, at: named('ytd') },
  'last-year': { label: 'Last year', before: 'the year before', isCommon: false, at: named('last-year') },
} as const satisfies Record<string, OfferedPeriod>;

/** A fiscal year that begins in January is the calendar year. */
const FISCAL_MONTHS = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const;

type FiscalName = `${'last-' | ''}fiscal-year-${(typeof FISCAL_MONTHS)[number]}`;

export type OfferedName = keyof typeof CALENDAR | FiscalName;

/** The names of fiscal years contain their first month, so that an address keeps its meaning. */
export const OFFERED: Readonly<Record<OfferedName, OfferedPeriod>> = {
  ...CALENDAR,
  ...(Object.fromEntries(FISCAL_MONTHS.flatMap(fiscalYears)) as Record<FiscalName, OfferedPeriod>),
};

/** Returns the names of the periods to offer to an organization whose fiscal year starts in this month. */
export function offeredNames(fiscalYearStart: number): OfferedName[] {
  return (Object.keys(OFFERED) as OfferedName[]).filter((name) =>
    [undefined, fiscalYearStart].includes(OFFERED[name].fiscalYearStart),
  );
}

function fiscalYears(month: number): [string, OfferedPeriod][] {
  const shared = { isCommon: false, fiscalYearStart: month };
  return [
    [
      `fiscal-year-${month}`,
      {
        ...shared,
        label: 'This fiscal year',
        before: 'the same period last fiscal year',
        at: (now) => {
          const start = startOfFiscalYear(now, month);
          const previous = { start: addMonths(start, -12), end: addMonths(now, -12) };
          return { period: { start, end: now }, previous };
        },
      },
    ],
    [
      `last-fiscal-year-${month}`,
      {
        ...shared,
        label: 'Last fiscal year',
        before: 'the fiscal year before',
        at: (now) => wholeMonths(startOfFiscalYear(now, month), 12),
      },
    ],
  ];
}

function named(name: WindowName): OfferedPeriod['at'] {
  return (now) => {
    const { window, previous } = namedWindow(name, now);
    const datesOf = ({ start, end }: typeof window) => ({ start: new Date(start.iso), end: new Date(end.iso) });
    return { period: datesOf(window), previous: datesOf(previous) };
  };
}

/** The `length` months before `end`, compared with the same number of months before them. */
function wholeMonths(end: Date, length: number): ComparedPeriods {
  return consecutive(addMonths(end, -2 * length), addMonths(end, -length), end);
}

function consecutive(before: Date, start: Date, end: Date): ComparedPeriods {
  return { period: { start, end }, previous: { start: before, end: start } };
}

function dayStart(now: Date): Date {
  return new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
}
