/** Prints one line of CSV (RFC 4180). */

export type CsvRow = readonly (string | number | boolean | null)[];

/** Formula prefixes of a cell. Some spreadsheets trim invisible characters first, some accept full-width signs. */
const FORMULA = /^(?:[\s\p{Cf}]*[=+\-@＝＋－＠|%]|[\t\r\n])/u;
const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * Prints a line for people. Numbers stay numbers. Any other text that looks like a formula gets an apostrophe, which
 * spreadsheets read as text.
 */
export function csvLine(row: CsvRow): string {
  return exactCsvLine(
    row.map((value) => {
      const text = String(value ?? '');
      return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
    }),
  );
}

/** Prints a line for programs: all text is unchanged. */
export function exactCsvLine(row: CsvRow): string {
  return `${row.map((value) => quoted(String(value ?? ''))).join(',')}\r\n`;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
