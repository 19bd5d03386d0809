/**
 * Periods in page URLs: an offered one (`window=30d`), or two dates, the last one inclusive
 * (`from=2026-11-01&to=2026-11-30`). Links in alerts use instants: `from=2026-11-01T12:00Z&to=2026-11-01T18:00Z`, the
 * second one exclusive. `at` fixes the instant at which a running period ends, so that its figures stay the same.
 */
import { addMonths } from '#kernel/time/calendar.ts';
import { DAY_MS, daysEarlier, daysLater } from '#kernel/time/duration.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { usualComparison } from '#kernel/time/usual-comparison.ts';
import { fail } from '#kernel/errors.ts';
import { type Content, html, type Html } from '../shell/html.ts';
import { OFFERED, offeredNames, type OfferedName } from './offered-periods.ts';

export interface WindowChoice {
  /** Name of an offered period; `null` for custom dates. */
  readonly name: OfferedName | null;
  /** `This month`, `2026-11-01 to 2026-11-30`. */
  readonly label: string;
  readonly start: string;
  readonly end: string;
  /** First and last day, YYYY-MM-DD; or the instants of the URL. */
  readonly from: string;
  readonly to: string;
  /** Current end of a period that is still running; null for a completed one. */
  readonly runsUntil?: string | null;
  /** The fixed instant of the URL. */
  readonly at?: string | null;
  /** First month of the organization's fiscal year, for the periods on offer. */
  readonly fiscalYearStart?: number;
}

/**
 * `previous`: the usual comparison of a window of that name. `week`, `month`, `year`: the same days that much earlier.
 * Otherwise a first and a last day.
 */
export type Comparison = 'previous' | 'week' | 'month' | 'year' | ComparedDays;

interface ComparedDays {
  readonly from: string;
  readonly to: string;
}

/** Page of saved views. */
export const SAVED_VIEWS_PATH = '/views';

/** The period of all pages, until a person chooses another. */
const INITIAL: OfferedName = '30d';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/;

/**
 * Query of a page, together with the organization's fiscal year, which decides the offered periods but is not part of
 * the URL.
 */
export class PageQuery extends URLSearchParams {
  fiscalYearStart = 1;
}

/** Period of a URL. Fails with `VALIDATION_ERROR` for dates that do not form a period. */
export function windowChoice(query: URLSearchParams, now: Date): WindowChoice {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  const at = fixedInstant(query.get('at') ?? '', now);
  const time = at === null ? now : new Date(at);
  const fiscalYearStart = query instanceof PageQuery ? query.fiscalYearStart : 1;
  if (from !== '' || to !== '') return { ...ownDates(from, to, time), at, fiscalYearStart };
  // Old bookmarks use `30-days`.
  const name = (query.get('window') ?? '').replace(/^(\d+)-days$/, '$1d');
  return { ...offeredWindow(isOffered(name) ? name : INITIAL, time), at, fiscalYearStart };
}

/** Null unless the text is an instant in the past. */
function fixedInstant(text: string, now: Date): string | null {
  const instant = INSTANT.test(text) ? parseIso8601(text) : null;
  return instant !== null && instant.epochMs <= now.getTime() ? instant.iso : null;
}

/** The comparison period of a choice, and its label. */
export function comparedWindow(
  choice: WindowChoice,
  comparison: Comparison,
  now: Date,
): { readonly start: string; readonly end: string; readonly label: string } {
  if (typeof comparison === 'object') {
    const { start, end, label } = ownDates(comparison.from, comparison.to, now);
    return { start, end, label };
  }
  const [start, end] = [new Date(choice.start), new Date(choice.end)];
  if (comparison === 'previous') {
    if (choice.name !== null) {
      const { at, before } = OFFERED[choice.name];
      const { previous } = at(choice.at ? new Date(choice.at) : now);
      return { start: previous.start.toISOString(), end: previous.end.toISOString(), label: before };
    }
    const usual = usualComparison({ start, end });
    const label = usual.isMonthBefore ? 'the same days of the month before' : 'the previous period';
    return { start: usual.start.toISOString(), end: usual.end.toISOString(), label };
  }
  if (comparison === 'week') {
    const [from, until] = [daysEarlier(start, 7), daysEarlier(end, 7)];
    return { start: from.toISOString(), end: until.toISOString(), label: 'a week ago' };
  }
  const months = comparison === 'month' ? -1 : -12;
  return {
    start: addMonths(start, months).toISOString(),
    end: addMonths(end, months).toISOString(),
    label: comparison === 'month' ? 'a month ago' : 'a year ago',
  };
}

/** Leaves colons and commas unencoded, which a query string allows. */
export function readable(parameters: URLSearchParams): string {
  return parameters.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
}

type HrefOf = (parameters: [string, string][]) => string;

/** The days of the usual comparison: initial values of the date fields. */
export function usualDays(choice: WindowChoice, now: Date): ComparedDays {
  const { start, end } = comparedWindow(choice, 'previous', now);
  return daysOf(start, end);
}

/** The window's URL parameters, as pairs. */
export function windowParameters({
  name,
  from,
  to,
  at,
}: Pick<WindowChoice, 'name' | 'from' | 'to' | 'at'>): [string, string][] {
  const period: [string, string][] =
    name === null
      ? [
          ['from', from],
          ['to', to],
        ]
      : [['window', name]];
  return at ? [...period, ['at', at]] : period;
}

/**
 * Links to the offered periods of the page at `path`, fields for custom dates, and the current end of a running period.
 * `others`: the other parameters of the page's URL, which are kept.
 */
export function windowLinks(choice: WindowChoice, path: string, others: readonly [string, string][] = []): Html {
  const hrefOf: HrefOf = (parameters) => `${path}?${readable(new URLSearchParams([...parameters, ...others]))}`;
  const link = (name: OfferedName) =>
    html`
    <li><a href="${hrefOf([['window', name]])}"${name === choice.name && html` aria-current="true"`}>${OFFERED[name].label}</a></li>`;
  const [common, further] = [true, false].map((isCommon) =>
    offeredNames(choice.fiscalYearStart ?? 1).filter((name) => OFFERED[name].isCommon === isCommon),
  );
  const isOther = choice.name === null || !OFFERED[choice.name].isCommon;
  return html`
<div class="window"><nav aria-label="Period"><ul class="windows">${common?.map(link)}</ul></nav>
  <details${isOther && html` open`}><summary>More</summary>
  <nav aria-label="More periods"><ul class="windows">${further?.map(link)}</ul></nav>
  <form class="dates" method="get" action="${path}">${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    ${dateField('from', 'First day', choice.from, { isRequired: true })}${dateField('to', 'Last day', choice.to, { isRequired: true })}<button class="secondary">Show</button>
  </form></details>
  <p class="stamp muted">${stamp(choice, hrefOf)} <a href="${SAVED_VIEWS_PATH}?${new URLSearchParams({ path: hrefOf(fixedParameters(choice)) }).toString()}">Share or save</a></p></div>`;
}

/**
 * Parameters that always select the same period: a named one gets a fixed `at`, which for a completed period is just
 * after its end.
 */
function fixedParameters(choice: WindowChoice): [string, string][] {
  const { name, at, runsUntil, end } = choice;
  const justAfter = name === null ? null : new Date(new Date(end).getTime() + 1).toISOString();
  return windowParameters({ ...choice, at: at ?? runsUntil ?? justAfter });
}

/**
 * The figures of a running period change, revenue even every second. A link with `at` shows the same figures to
 * everybody.
 */
function stamp(choice: WindowChoice, hrefOf: HrefOf): Html {
  const { runsUntil, at } = choice;
  const asOf = runsUntil
    ? html`as of <time datetime="${runsUntil}">${runsUntil.slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM:SS'.length)} UTC</time>`
    : null;
  const days = choice.name === null ? choice.label : `${choice.from} to ${choice.to}`;
  const period = html`${days}${asOf !== null && html`, ${asOf}`}`;
  if (at) return html`${period} (fixed) <a href="${hrefOf(windowParameters({ ...choice, at: null }))}">Update</a>`;
  return html`${period}${asOf !== null && html` <a href="${hrefOf(windowParameters({ ...choice, at: choice.runsUntil ?? null }))}">Freeze these figures</a>`}`;
}

/** Links in alerts contain instants, which a date field cannot show. */
export function dateField(name: string, label: Content, value: string, { isRequired = false } = {}): Html {
  const type = INSTANT.test(value) ? 'text' : 'date';
  return html`<label>${label} <input type="${type}" name="${name}" value="${value}" autocomplete="off"${isRequired && html` required`}></label>`;
}

function isOffered(name: string): name is OfferedName {
  return Object.hasOwn(OFFERED, name);
}

function offeredWindow(name: OfferedName, now: Date): WindowChoice {
  const { at, label } = OFFERED[name];
  const { period } = at(now);
  const [start, end] = [period.start.toISOString(), period.end.toISOString()];
  const runsUntil = period.end.getTime() === now.getTime() ? end : null;
  return { name, label, start, end, ...daysOf(start, end), runsUntil };
}

function daysOf(start: string, end: string): { from: string; to: string } {
  const last = new Date(Math.max(new Date(end).getTime() - 1, new Date(start).getTime()));
  return { from: start.slice(0, 10), to: last.toISOString().slice(0, 10) };
}

/** Today ends now, since no figure includes the future. */
function ownDates(from: string, to: string, now: Date): WindowChoice {
  if (INSTANT.test(from) && INSTANT.test(to)) return ownInstants(from, to);
  const [first, last] = [from, to].map((text) => (DATE.test(text) ? parseIso8601(text) : null));
  if (!first || !last) fail('VALIDATION_ERROR', 'Enter a first and a last day, for example 2026-11-01 and 2026-11-30.');
  if (first.epochMs > last.epochMs) fail('VALIDATION_ERROR', 'The first day must not be after the last day.');
  const endOfDay = daysLater(new Date(last.epochMs), 1);
  const isToday = endOfDay.getTime() > now.getTime() && endOfDay.getTime() - now.getTime() < DAY_MS;
  const end = (isToday ? now : endOfDay).toISOString();
  return {
    name: null,
    label: from === to ? from : `${from} to ${to}`,
    start: first.iso,
    end,
    from,
    to,
    runsUntil: isToday ? end : null,
  };
}

function ownInstants(from: string, to: string): WindowChoice {
  const [start, end] = [parseIso8601(from), parseIso8601(to)];
  if (!start || !end || start.epochMs >= end.epochMs) fail('VALIDATION_ERROR', '`from` must be before `to`.');
  const inWords = (iso: string) => iso.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ', ');
  const label = `${inWords(start.iso)} to ${inWords(end.iso)} UTC`;
  return { name: null, label, start: start.iso, end: end.iso, from, to };
}
