import { csvLine } from '#kernel/csv-line.ts';
import type { ReportFormat } from './report-format.ts';

/** CSV for people (RFC 4180): text that a spreadsheet would evaluate as a formula gets an apostrophe. */
export const csv: ReportFormat = {
  contentType: 'text/csv; charset=utf-8',
  extension: 'csv',
  async *print({ columns, rows }) {
    // The header is printed with the first rows, so that a failure to read them can still become an error response.
    let heading = csvLine(columns.map(({ name }) => name));
    for await (const batch of rows) {
      yield heading + batch.map((row) => csvLine(columns.map(({ name }) => row[name] ?? null))).join('');
      heading = '';
    }
    if (heading !== '') yield heading;
  },
};
