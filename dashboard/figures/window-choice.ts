/**
 * Windows in page URLs: an offered one (`window=30d`), or two dates, the last one inclusive
 * (`from=2026-11-01&to=2026-11-30`). Links in alerts use instants: `from=2026-11-01T12:00Z&to=2026-11-01T18:00Z`, the
 * second one exclusive.
 */
import { addMonths } from '#kernel/time/calendar.ts';
import { DAY_MS, daysEarlier, daysLater } from '#kernel/time/duration.ts';
import { namedWindow, toWindowEnum, type WindowEnum, type WindowName } from '#kernel/time/named-window.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { fail } from '#schema/errors.ts';
import { type Content, html, type Html } from '../shell/html.ts';

export interface WindowChoice {
  /** Name of an offered window; `null` for custom dates. */
  readonly name: WindowChoiceName | null;
  /** `This month`, `2026-11-01 to 2026-11-30`. */
  readonly label: string;
  readonly start: string;
  readonly end: string;
  /** First and last day, YYYY-MM-DD; or the instants of the URL. */
  readonly from: string;
  readonly to: string;
}

/**
 * `previous`: the usual comparison of a window of that name. Others: the same days a week, a month or a
 * year earlier.
 */
export type Comparison = 'previous' | 'week' | 'month' | 'year';

const OFFERED = {
  month: { window: 'current-period', label: 'This month', before: 'the same days of last month' },
  'last-month': { window: 'last-period', label: 'Last month', before: 'the previous month' },
  '7d': { window: 'last-7-days', label: '7 days', before: 'the previous 7 days' },
  '30d': { window: 'last-30-days', label: '30 days', before: 'the previous 30 days' },
  '90d': { window: 'last-90-days', label: '90 days', before: 'the previous 90 days' },
  year: { window: 'ytd', label: 'This year', before: 'the same period last year' },
} as const satisfies Record<string, { window: WindowName; label: string; before: string }>;

export type WindowChoiceName = keyof typeof OFFERED;

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/;

/**
 * Window of a URL; `initial` if the URL names none. Fails with `VALIDATION_ERROR` for dates that do not form a window.
 */
export function windowChoice(query: URLSearchParams, now: Date, initial: WindowChoiceName = '30d'): WindowChoice {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  if (from !== '' || to !== '') return ownDates(from, to, now);
  return offeredChoice(query, now, initial);
}

/** An offered window; `initial` if the URL names none of them. */
export function offeredChoice(
  query: URLSearchParams,
  now: Date,
  initial: WindowChoiceName,
): WindowChoice & { readonly name: WindowChoiceName } {
  // Old bookmarks use `30-days`.
  const name = (query.get('window') ?? '').replace(/-days$/, 'd');
  return offeredWindow(isOffered(name) ? name : initial, now);
}

/** The comparison window of a choice, and its label. */
export function comparedWindow(
  choice: WindowChoice,
  comparison: Comparison,
  now: Date,
): { readonly start: string; readonly end: string; readonly label: string } {
  const [start, end] = [new Date(choice.start), new Date(choice.end)];
  if (comparison === 'previous') {
    if (choice.name !== null) {
      const { window, before } = OFFERED[choice.name];
      const { previous } = namedWindow(window, now);
      return { start: previous.start.iso, end: previous.end.iso, label: before };
    }
    const earlier = new Date(2 * start.getTime() - end.getTime());
    return { start: earlier.toISOString(), end: choice.start, label: 'the previous period' };
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

/** The cost summary's name of an offered window and of its comparison. */
export function summaryWindow(name: WindowChoiceName): { readonly timeWindow: WindowEnum; readonly before: string } {
  const { window, before } = OFFERED[name];
  return { timeWindow: toWindowEnum(window), before };
}

/** The window's URL parameters, as pairs. */
export function windowParameters({ name, from, to }: Pick<WindowChoice, 'name' | 'from' | 'to'>): [string, string][] {
  return name === null
    ? [
        ['from', from],
        ['to', to],
      ]
    : [['window', name]];
}

/**
 * Links to the offered windows, and fields for custom `dates`. `hrefOf` and the `hidden` fields keep all other
 * parameters of the URL.
 */
export function windowLinks(
  choice: WindowChoice,
  hrefOf: (parameters: [string, string][]) => string,
  dates: { readonly action: string; readonly hidden: readonly (readonly [string, string])[] } | null,
): Html {
  return html`
<nav class="window" aria-label="Period"><ul class="windows">${(Object.keys(OFFERED) as WindowChoiceName[]).map(
    (name) =>
      html`
    <li><a href="${hrefOf([['window', name]])}"${name === choice.name && html` aria-current="true"`}>${OFFERED[name].label}</a></li>`,
  )}</ul>
  ${
    dates &&
    html`<details${choice.name === null && html` open`}><summary>Other dates</summary>
  <form class="dates" method="get" action="${dates.action}">${dates.hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    ${dateField('from', 'First day', choice.from, { isRequired: true })}${dateField('to', 'Last day', choice.to, { isRequired: true })}<button class="secondary">Show</button>
  </form></details>`
  }</nav>`;
}

/** A text field, since browsers' date fields use their own format, which differs from the text around them. */
export function dateField(name: string, label: Content, value: string, { isRequired = false } = {}): Html {
  return html`<label>${label} <input name="${name}" value="${value}" placeholder="2026-01-31"${!INSTANT.test(value) && html` pattern="\\d{4}-\\d{2}-\\d{2}"`} title="Year, month and day: 2026-01-31" inputmode="numeric" size="10" autocomplete="off"${isRequired && html` required`}></label>`;
}

function isOffered(name: string): name is WindowChoiceName {
  return Object.hasOwn(OFFERED, name);
}

function offeredWindow(name: WindowChoiceName, now: Date): WindowChoice & { readonly name: WindowChoiceName } {
  const { window, label } = OFFERED[name];
  const { start, end } = namedWindow(window, now).window;
  return { name, label, start: start.iso, end: end.iso, ...daysOf(start.iso, end.iso) };
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
  return { name: null, label: from === to ? from : `${from} to ${to}`, start: first.iso, end, from, to };
}

function ownInstants(from: string, to: string): WindowChoice {
  const [start, end] = [parseIso8601(from), parseIso8601(to)];
  if (!start || !end || start.epochMs >= end.epochMs) fail('VALIDATION_ERROR', '`from` must be before `to`.');
  const inWords = (iso: string) => iso.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ', ');
  const label = `${inWords(start.iso)} to ${inWords(end.iso)} UTC`;
  return { name: null, label, start: start.iso, end: end.iso, from, to };
}
