/** The time axis of a chart: names of its buckets, which of them are partial, and labels in between. */
import { type CalendarUnit, nextUnitStart } from '#kernel/time/calendar.ts';
import { dateInWords, dayInWords, monthInWords, timeInWords } from '#kernel/time/in-words.ts';
import { html, type Html } from '../shell/html.ts';
import { formatBucket } from './instant.ts';

export interface Bucket {
  readonly start: string;
  /** `21 Nov 2026`. For a week or month that is only partly in the period, the days that are: `1–4 Oct 2026`. */
  readonly name: string;
  /** True if the period begins or ends within it. */
  readonly isPartial: boolean;
}

interface Period {
  readonly start: string;
  readonly end: string;
}

/** Maximum number of labels of an axis. */
const LABELS_MAX = 7;

/** `period`: what the figures of the buckets cover. */
export function bucketsOf(starts: readonly string[], unit: CalendarUnit, period: Period | null): Bucket[] {
  return starts.map((start) => {
    const [from, until] = [Date.parse(start), endOf(start, unit)];
    const first = period === null ? from : Math.max(from, Date.parse(period.start));
    const end = period === null ? until : Math.min(until, Date.parse(period.end));
    const isPartial = first > from || end < until;
    const isDays = unit === 'week' || unit === 'month';
    return { start, name: isPartial && isDays ? dayRange(first, end) : formatBucket(start, unit), isPartial };
  });
}

/** End of a bucket, exclusive. */
export function endOf(start: string, unit: CalendarUnit): number {
  return Number(nextUnitStart(BigInt(Date.parse(start)) * 1000n, unit) / 1000n);
}

/** Labels below the plot, at the middle of their buckets. */
export function timeAxis(buckets: readonly Bucket[], unit: CalendarUnit): Html {
  const last = buckets.length - 1;
  const step = Math.max(Math.ceil(buckets.length / LABELS_MAX), 1);
  const labelled = buckets.flatMap((_, index) =>
    index % step === 0 && (last - index >= step || index === last) ? [index] : [],
  );
  const shown = last > 0 && !labelled.includes(last) ? [...labelled, last] : labelled;
  return html`
  <svg class="time-axis" aria-hidden="true">${shown.map((index, place) => {
    const edge =
      index === 0 && last > 0 ? 'first' : index === last && last > 0 ? 'last' : place % 2 === 1 ? 'between' : '';
    const x = edge === 'first' ? 0 : edge === 'last' ? 100 : ((index + 0.5) / buckets.length) * 100;
    return html`<text class="${edge}" x="${x.toFixed(2)}%" y="11">${labelOf(buckets[index]!.start, unit)}</text>`;
  })}</svg>`;
}

function labelOf(start: string, unit: CalendarUnit): string {
  const instant = new Date(start);
  if (unit === 'hour') return timeInWords(instant);
  return unit === 'month' ? monthInWords(instant).slice(0, 3) : dayInWords(instant);
}

/** `1–4 Oct 2026`. The end is exclusive. */
function dayRange(first: number, end: number): string {
  const [from, to] = [new Date(first), new Date(Math.max(end - 1, first))];
  if (dateInWords(from) === dateInWords(to)) return dateInWords(to);
  const isSameMonth = monthInWords(from) === monthInWords(to);
  return `${isSameMonth ? String(from.getUTCDate()) : dayInWords(from)}–${dateInWords(to)}`;
}
