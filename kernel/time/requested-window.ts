/** The window requested by a GraphQL caller: two instants, a length that ends now, or a name. */
import type { OrganizationId } from '../ids.ts';
import { fail } from '../errors.ts';
import { nodeIdOf } from '../node-id.ts';
import { addMonths } from './calendar.ts';
import { DAY_MS, HOUR_MS } from './duration.ts';
import { compareInstants, instantOf } from './instant.ts';
import { fromWindowEnum, namedWindow, type WindowEnum } from './named-window.ts';
import { parseWindow, type Window } from './window.ts';

interface WindowLength {
  readonly hours?: number | null | undefined;
  readonly days?: number | null | undefined;
  readonly weeks?: number | null | undefined;
  readonly months?: number | null | undefined;
}

/** A window, and how it was requested if it moves with time, for example `last 7 days`. */
export interface PeriodWindow extends Window {
  readonly period?: string;
}

export interface RequestedWindow {
  readonly start?: unknown;
  readonly end?: unknown;
  readonly last?: WindowLength | null | undefined;
  readonly named?: WindowEnum | null | undefined;
}

const NAMES = { start: 'start', end: 'end' };

const UNITS_MS = { hours: HOUR_MS, days: DAY_MS, weeks: 7 * DAY_MS } as const;

/**
 * Fails with `VALIDATION_ERROR` unless exactly one of the three forms is given, or if the length or the instants are
 * invalid.
 */
export function requestedWindow({ start, end, last, named }: RequestedWindow, now: Date): PeriodWindow {
  const isBetween = (start ?? null) !== null || (end ?? null) !== null;
  const forms = [isBetween, (last ?? null) !== null, (named ?? null) !== null].filter(Boolean);
  if (forms.length !== 1) fail('VALIDATION_ERROR', 'Give exactly one of: start and end, last, named');
  if (last) return windowOfLast(last, now);
  if (!named) return parseWindow({ start: start ?? undefined, end: end ?? undefined }, { names: NAMES });
  const { window } = namedWindow(fromWindowEnum(named), now);
  if (compareInstants(window.start, window.end) >= 0)
    fail('VALIDATION_ERROR', `${named} has only just started: try again in a moment`);
  return { ...window, period: named };
}

/** The global id of a window: the same for every request of the same period, so that caches replace older figures. */
export function windowId(organizationId: OrganizationId | null, { period, start, end }: PeriodWindow): string {
  return nodeIdOf('Window', organizationId ?? '', period ?? `${start.iso}/${end.iso}`);
}

function windowOfLast(last: WindowLength, now: Date): PeriodWindow {
  const lengths = Object.entries(last).filter(([, count]) => typeof count === 'number') as [
    keyof WindowLength,
    number,
  ][];
  const [unit, count] = lengths[0] ?? (['days', 0] as const);
  if (lengths.length !== 1 || count < 1)
    fail('VALIDATION_ERROR', 'last must have exactly one of hours, days, weeks or months, 1 or more');
  const startMs = unit === 'months' ? addMonths(now, -count).getTime() : now.getTime() - count * UNITS_MS[unit];
  if (startMs < 0) fail('VALIDATION_ERROR', `last: a window of ${count} ${unit} starts before 1970`);
  const window = parseWindow({ start: new Date(startMs).toISOString(), end: instantOf(now).iso });
  return { ...window, period: `last ${count} ${unit}` };
}
