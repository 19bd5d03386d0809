import { csvLine, exactCsvLine } from '#kernel/csv-line.ts';
import type { ReportFormat } from './report-format.ts';

/** CSV (RFC 4180). For people, text that a spreadsheet would evaluate as a formula gets an apostrophe. */
export const csv: ReportFormat = {
  contentType: 'text/csv; charset=utf-8',
  extension: 'csv',
  async *print({ columns, rows, isForPrograms }) {
    const line = isForPrograms ? exactCsvLine : csvLine;
    // The header is printed with the first rows, so that a failure to read them can still become an error response.
    let heading = line(columns.map(({ name }) => name));
    for await (const batch of rows) {
      yield heading + batch.map((row) => line(columns.map(({ name }) => row[name] ?? null))).join('');
      heading = '';
    }
    if (heading !== '') yield heading;
  },
};
