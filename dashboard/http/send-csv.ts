/** Sends rows as CSV (RFC 4180) while they come: exact figures, and no text that a spreadsheet would take for a formula. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export type CsvRow = readonly (string | number | null)[];

/** What a spreadsheet computes at the beginning of a cell: some trim white space first, some take the full-width signs. */
const FORMULA = /^(?:[\s\uFEFF]*[=+\-@＝＋－＠]|[\t\r\n|%])/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** `pages`: some rows at a time. The first page is awaited before anything is sent, so that what fails at once is an answer. */
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

/** A number stays one; any other text that looks like a formula gets the apostrophe that spreadsheets read as text. */
function cell(value: string | number | null): string {
  const text = String(value ?? '');
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
