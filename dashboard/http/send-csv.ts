/**
 * Streams rows as CSV (RFC 4180) with exact figures, and without text that a spreadsheet would evaluate as a formula.
 */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { csvLine, type CsvRow } from '#kernel/csv-line.ts';

export type { CsvRow };

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
