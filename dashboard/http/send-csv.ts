/**
 * Streams rows as CSV (RFC 4180) with exact figures, and without text that a spreadsheet would evaluate as a formula.
 */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export type CsvRow = readonly (string | number | null)[];

/** Formula prefixes of a cell. Some spreadsheets trim white space first, some accept full-width signs. */
const FORMULA = /^(?:[\s\uFEFF]*[=+\-@＝＋－＠]|[\t\r\n|%])/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * `pages` yields batches of rows. The first batch is awaited before anything is sent, so that an early failure gets an
 * error response.
 */
export async function sendCsv(
  reply: FastifyReply,
  name: string,
  header: CsvRow,
  pages: AsyncGenerator<readonly CsvRow[]>,
): Promise<FastifyReply> {
  const first = await pages.next();
  const lines = async function* () {
    yield csvLine(header);
    for (let page = first; page.done !== true; page = await pages.next()) yield page.value.map(csvLine).join('');
  };
  return reply
    .type('text/csv; charset=utf-8')
    .header('Content-Disposition', `attachment; filename="${name.replaceAll(':', '')}.csv"`)
    .send(Readable.from(lines()));
}

export function csvLine(row: CsvRow): string {
  return `${row.map(cell).join(',')}\r\n`;
}

/**
 * Numbers stay numbers. Any other text that looks like a formula gets an apostrophe, which spreadsheets read as text.
 */
function cell(value: string | number | null): string {
  const text = String(value ?? '');
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
