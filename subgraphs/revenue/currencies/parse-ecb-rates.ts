/**
 * Reads the European Central Bank's file of reference rates as it is published: `eurofxref-hist.csv` (every working day
 * since 1999), `eurofxref-hist-90d.csv`, or `eurofxref.csv` (one day).
 */
import { daysInMonth } from '#kernel/time/calendar.ts';
import { fail } from '#kernel/errors.ts';
import { BASE_CURRENCY } from './currency.ts';
import type { StatedRate } from './fx-rate.table.ts';

const LINES_MAX = 20_000;
const CURRENCIES_MAX = 100;

/** As stored: ten digits before and after the point. */
const RATE = /^\d{1,10}(?:\.\d{1,10})?$/;
const ISO_DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
/** The file of a single day: `25 April 2025`. */
const WRITTEN_DAY = /^(\d{1,2}) ([A-Z][a-z]+) (\d{4})$/;
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** `today`: `YYYY-MM-DD`. Fails with `VALIDATION_ERROR`; the message names the line. */
export function parseEcbRates(file: string, today: string): StatedRate[] {
  const lines = file.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines.length > LINES_MAX) fail('VALIDATION_ERROR', `file must not have more than ${LINES_MAX} lines`);
  const [header = '', ...rows] = lines;
  const currencies = readHeader(header);
  const days = new Set<string>();
  const rates = rows.flatMap((row, index) => {
    if (row.trim() === '') return [];
    const line = index + 2;
    const [dayCell = '', ...cells] = cellsOf(row);
    const day = readDay(dayCell) ?? fail('VALIDATION_ERROR', `file: line ${line} must begin with a day`);
    if (day > today) fail('VALIDATION_ERROR', `file: line ${line} is for ${day}, which is in the future`);
    if (days.has(day)) fail('VALIDATION_ERROR', `file: line ${line} repeats ${day}`);
    days.add(day);
    if (cells.length !== currencies.length)
      fail('VALIDATION_ERROR', `file: line ${line} has ${cells.length} rates for ${currencies.length} currencies`);
    return cells.flatMap((cell, column): StatedRate[] => {
      if (cell === 'N/A' || cell === '') return [];
      if (!isRate(cell))
        fail(
          'VALIDATION_ERROR',
          `file: line ${line} has a rate of ${currencies[column]} that is not a positive number`,
        );
      return [{ quote: currencies[column]!, day, rate: cell }];
    });
  });
  return rates.length > 0 ? rates : fail('VALIDATION_ERROR', 'file contains no rates');
}

/** A positive number that can be stored. */
export function isRate(text: string): boolean {
  return RATE.test(text) && !/^[0.]+$/.test(text);
}

function readHeader(header: string): string[] {
  const [first, ...currencies] = cellsOf(header);
  if (first !== 'Date' || currencies.length === 0 || currencies.some((currency) => !/^[A-Z]{3}$/.test(currency)))
    fail(
      'VALIDATION_ERROR',
      "file is not the European Central Bank's list of rates: its first line must be Date and the currency codes",
    );
  if (currencies.includes(BASE_CURRENCY))
    fail(
      'VALIDATION_ERROR',
      `file must not have a column ${BASE_CURRENCY}: its rates are units of each currency for one euro`,
    );
  if (new Set(currencies).size < currencies.length || currencies.length > CURRENCIES_MAX)
    fail('VALIDATION_ERROR', `file must name each currency once, and at most ${CURRENCIES_MAX}`);
  return currencies;
}

/** Lines end with a comma. */
function cellsOf(line: string): string[] {
  const cells = line.split(',').map((cell) => cell.trim());
  return cells.at(-1) === '' ? cells.slice(0, -1) : cells;
}

function readDay(cell: string): string | null {
  const [, year, month, date] = ISO_DAY.exec(cell) ?? [];
  const [, writtenDate = '', writtenMonth = '', writtenYear] = WRITTEN_DAY.exec(cell) ?? [];
  const parts =
    year === undefined
      ? [writtenYear ?? '', String(MONTHS.indexOf(writtenMonth) + 1).padStart(2, '0'), writtenDate.padStart(2, '0')]
      : [year, month!, date!];
  const [ofYear, ofMonth, ofDay] = parts.map(Number) as [number, number, number];
  const isDay = ofYear >= 1999 && ofDay >= 1 && ofDay <= daysInMonth(ofYear, ofMonth);
  return isDay ? parts.join('-') : null;
}
