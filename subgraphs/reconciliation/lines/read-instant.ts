/** Reads times in bills. */
import { dayOf, isDay } from '#kernel/time/utc-day.ts';
import { BillFormatError } from './bill-line.ts';

const ISO = /^(\d{4}-\d{2}-\d{2})(?:$|[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|UTC|\+00:?00)?$)/;
const OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?[+-]\d{2}:?\d{2}$/;
/** Spreadsheets print `4/1/26`. */
const US_DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{2}|\d{4})(?: \d{1,2}:\d{2}(?::\d{2})?)?$/;

/** Milliseconds of an instant: ISO 8601 or epoch seconds. An instant without a zone is UTC. */
export function readInstant(value: unknown, column: string): number {
  const text = String(value).trim();
  if (/^\d{9,11}(?:\.0+)?$/.test(text)) return Number(text) * 1_000;
  const us = US_DATE.exec(text);
  if (us !== null) {
    const year = us[3]!.length === 2 ? 2_000 + Number(us[3]) : Number(us[3]);
    return checked(Date.UTC(year, Number(us[1]) - 1, Number(us[2])), column, text);
  }
  if (ISO.test(text) && isDay(text.slice(0, 'YYYY-MM-DD'.length))) {
    const plain = text.replace(/\s*(?:Z|UTC|\+00:?00)$/, '').replace(' ', 'T');
    return checked(Date.parse(plain.length === 10 ? `${plain}T00:00:00Z` : `${plain}Z`), column, text);
  }
  return checked(OFFSET.test(text) ? Date.parse(text.replace(' ', 'T').replace(' ', '')) : NaN, column, text);
}

function checked(milliseconds: number, column: string, text: string): number {
  if (!Number.isFinite(milliseconds))
    throw new BillFormatError(`${column} is not a time: ${JSON.stringify(text.slice(0, 40))}`);
  return milliseconds;
}

/** First and last day of a period with an exclusive end; one day if the end is null. */
export function daysOf(start: number, end: number | null): { day: string; lastDay: string } {
  const day = dayOf(start);
  return { day, lastDay: end === null || end <= start ? day : dayOf(end - 1) };
}
