/**
 * Converts the European Central Bank's XML of reference rates to the lines of its CSV file, so that one parser reads
 * both.
 */
import { fail } from '#kernel/errors.ts';
import { isRate } from './parse-ecb-rates.ts';

const ROOT = /<([A-Za-z][\w:.-]*)/;
const CUBE = /<\/?Cube\b[^<>]*>?/g;
const OPENING = /^<Cube\s*>$/;
const CLOSING = /^<\/Cube\s*>$/;
const DAY = /^<Cube\s+time=["'](\d{4}-\d\d-\d\d)["']\s*>$/;
const RATE = /^<Cube\s+currency=["']([A-Z]{3})["']\s+rate=["']([^"']*)["']\s*\/>$/;

/** Maximum number of characters of an element shown in an error. */
const SHOWN_MAX = 200;

interface Day {
  readonly day: string;
  readonly rates: Map<string, string>;
}

/** CSV with the columns of all days. Fails with `VALIDATION_ERROR` for XML without rates, or if part of it is missing or cannot be read. */
export function csvOfEcbXml(xml: string): string {
  const root = ROOT.exec(xml)?.[1] ?? fail('VALIDATION_ERROR', 'file contains no rates');
  if (!xml.trimEnd().endsWith(`</${root}>`))
    fail('VALIDATION_ERROR', `file is incomplete: it does not end with </${root}>`);
  const days = readDays(xml);
  const currencies = [...new Set(days.flatMap(({ rates }) => [...rates.keys()]))];
  if (currencies.length === 0) fail('VALIDATION_ERROR', 'file contains no rates');
  const rows = days.map(({ day, rates }) => [day, ...currencies.map((currency) => rates.get(currency) ?? 'N/A')]);
  return [['Date', ...currencies], ...rows].map((cells) => cells.join(',')).join('\n');
}

/** Each rate's element is inside its day's element, and each day's element is inside one without attributes. */
function readDays(xml: string): Day[] {
  const days: Day[] = [];
  const open: (Day | null)[] = [];
  for (const [tag] of xml.matchAll(CUBE)) {
    const within = open.at(-1) ?? null;
    const day = DAY.exec(tag)?.[1];
    const [, currency, rate = ''] = RATE.exec(tag) ?? [];
    if (CLOSING.test(tag) && open.length > 0) open.pop();
    else if (OPENING.test(tag) && within === null) open.push(null);
    else if (day !== undefined && within === null) {
      const found = { day, rates: new Map<string, string>() };
      days.push(found);
      open.push(found);
    } else if (currency !== undefined && within !== null) addRate(within, currency, rate);
    else fail('VALIDATION_ERROR', `file: ${tag.slice(0, SHOWN_MAX)} is not expected here`);
  }
  if (open.length > 0) fail('VALIDATION_ERROR', 'file is incomplete: it does not close all elements');
  return days;
}

function addRate({ day, rates }: Day, currency: string, rate: string): void {
  if (!isRate(rate)) fail('VALIDATION_ERROR', `file: "${rate}" is not a rate of ${currency} on ${day}`);
  if (rates.has(currency)) fail('VALIDATION_ERROR', `file states the rate of ${currency} on ${day} twice`);
  rates.set(currency, rate);
}
