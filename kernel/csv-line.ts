/** Prints one line of CSV (RFC 4180). */

export type CsvRow = readonly (string | number | boolean | null)[];

/** Formula prefixes of a cell. Some spreadsheets trim white space first, some accept full-width signs. */
const FORMULA = /^(?:[\s\uFEFF]*[=+\-@＝＋－＠]|[\t\r\n|%])/;
const NUMBER = /^-?\d+(\.\d+)?$/;

export function csvLine(row: CsvRow): string {
  return `${row.map(cell).join(',')}\r\n`;
}

/**
 * Numbers stay numbers. Any other text that looks like a formula gets an apostrophe, which spreadsheets read as text.
 */
function cell(value: CsvRow[number]): string {
  const text = String(value ?? '');
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
