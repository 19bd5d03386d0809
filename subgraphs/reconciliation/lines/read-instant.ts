/** Reads times in bills. */
import { dayOf, isDay } from '#kernel/time/utc-day.ts';
import { BillFormatError } from './bill-line.ts';

const ISO = /^(\d{4}-\d{2}-\d{2})(?:$|[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|UTC|\+00:?00)?$)/;
const OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?[+-]\d{2}:?\d{2}$/;
/** Spreadsheets print `4/1/26`. */
const US_DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{2}|\d{4})(?: (?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)?$/;

/** Milliseconds of an instant: ISO 8601, epoch seconds or a US date. An instant without a zone is UTC. */
export function readInstant(value: unknown, column: string): number {
  const text = String(value).trim();
  if (/^\d{9,11}(?:\.0+)?$/.test(text)) return Number(text) * 1_000;
  const us = US_DATE.exec(text);
  const day = us === null ? text.slice(0, 'YYYY-MM-DD'.length) : dayOfUs(us);
  // JavaScript reads 30 February as 2 March.
  const milliseconds = isDay(day) ? Date.parse(us === null ? isoOf(text) : day) : NaN;
  if (!Number.isFinite(milliseconds))
    throw new BillFormatError(
      `${column} is not a time: ${JSON.stringify(text.slice(0, 40))}. Write days as 2026-04-13, or month first as 4/13/2026`,
    );
  return milliseconds;
}

function dayOfUs([, month = '', date = '', year = '']: RegExpExecArray): string {
  return `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
}

/** Empty for any other text. */
function isoOf(text: string): string {
  if (OFFSET.test(text)) return text.replace(' ', 'T').replace(' ', '');
  if (!ISO.test(text)) return '';
  const plain = text.replace(/\s*(?:Z|UTC|\+00:?00)$/, '').replace(' ', 'T');
  return plain.length === 10 ? plain : `${plain}Z`;
}

/** First and last day of a period with an exclusive end; one day if the end is null. */
export function daysOf(start: number, end: number | null): { day: string; lastDay: string } {
  const day = dayOf(start);
  return { day, lastDay: end === null || end <= start ? day : dayOf(end - 1) };
}
