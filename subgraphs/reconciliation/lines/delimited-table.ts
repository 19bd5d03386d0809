/** Reads CSV or TSV (RFC 4180) into records by column name. */
import { CsvError, parse } from 'csv-parse/sync';
import { BillFormatError } from './bill-line.ts';

export type TableRow = Readonly<Record<string, string>>;

const COLUMNS_MAX = 1_000;

/** The first line names the columns. Commas, tabs or semicolons separate them. */
export function readTable(text: string): TableRow[] {
  try {
    return parse(text, {
      bom: true,
      columns: columnNames,
      delimiter: delimiterOf(text.slice(0, text.search(/[\r\n]|$/))),
      relax_column_count_less: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    if (error instanceof CsvError) throw new BillFormatError(`The file is not CSV: ${error.message}`);
    throw error;
  }
}

function columnNames(header: readonly string[]): string[] {
  if (header.length < 2 || header.length > COLUMNS_MAX)
    throw new BillFormatError('The first line must name the columns, separated by commas');
  return header.map((name) => name.trim());
}

function delimiterOf(header: string): string {
  const counted = [',', '\t', ';'].map((mark) => ({ mark, count: header.split(mark).length }));
  return counted.reduce((best, other) => (other.count > best.count ? other : best)).mark;
}
