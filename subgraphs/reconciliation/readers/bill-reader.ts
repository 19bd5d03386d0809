/** Reads the records of one format into lines. */
import type { Fields } from '#kernel/json/json-object.ts';
import type { BillLine, BillSource } from '../lines/bill-line.ts';

export interface BillReader {
  /** True if a record has this format. */
  matches(fields: Fields): boolean;
  /** Columns that the reader uses, for formats that people load into a data warehouse, which rewrites their names. */
  readonly columns?: readonly string[];
  /** Properties of nested objects are columns too, with names such as `sku.description`. */
  readonly isNested?: true;
  read(fields: Fields): Iterable<BillLine>;
  /** Known after the last record. */
  source(): BillSource;
  /** True if the format leaves out zeros at the end of amounts: the longest amount shows how exact all of them are. */
  readonly cutsZeros?: boolean;
}

/** A row of CSV or TSV. */
export type TableRow = Readonly<Record<string, string>>;
