/** Reads the European Central Bank's XML of reference rates as the lines of its CSV file, which has one parser for both. */
import { fail } from '#schema/errors.ts';

const DAY = /<Cube\s+time=["']([^"'<>]*)["']\s*>([^]*?)<\/Cube>/g;
const RATE = /<Cube\s+currency=["']([^"'<>]*)["']\s+rate=["']([^"'<>,]*)["']\s*\/>/g;

/** CSV with the columns of all days. Fails with `VALIDATION_ERROR` for XML without rates. */
export function csvOfEcbXml(xml: string): string {
  const days = [...xml.matchAll(DAY)].map(([, day = '', rates = '']) => ({
    day,
    rates: new Map([...rates.matchAll(RATE)].map(([, currency = '', rate = '']) => [currency, rate])),
  }));
  const currencies = [...new Set(days.flatMap(({ rates }) => [...rates.keys()]))];
  if (currencies.length === 0) fail('VALIDATION_ERROR', 'file contains no rates');
  const rows = days.map(({ day, rates }) => [day, ...currencies.map((currency) => rates.get(currency) ?? 'N/A')]);
  return [['Date', ...currencies], ...rows].map((cells) => cells.join(',')).join('\n');
}
