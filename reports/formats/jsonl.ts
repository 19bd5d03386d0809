import type { ReportFormat } from './report-format.ts';

/** One JSON object per line. Decimals are strings, so that no reader converts them to a double. */
export const jsonl: ReportFormat = {
  contentType: 'application/x-ndjson; charset=utf-8',
  extension: 'jsonl',
  async *print({ columns, rows }) {
    for await (const batch of rows)
      yield batch
        .map((row) => `${JSON.stringify(Object.fromEntries(columns.map(({ name }) => [name, row[name] ?? null])))}\n`)
        .join('');
  },
};
