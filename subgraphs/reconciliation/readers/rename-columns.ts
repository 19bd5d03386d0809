/**
 * Data warehouses and other tools rewrite the names of columns: `BILLEDCOST` (Snowflake), `billedcost` (Athena) and
 * `billed_cost` are `BilledCost`, and `lineItem/UsageType` is `line_item_usage_type`.
 */
import type { Fields } from '#kernel/json/json-object.ts';
import { BillFormatError } from '../lines/bill-line.ts';

/** Maximum number of different names that are cached per file. */
const NAMES_MAX = 1_000;

/**
 * Returns a function that renames the fields of a record to the names in `columns`. Names that are equal without case
 * and punctuation are the same; all others are kept.
 */
export function columnRenamer(columns: readonly string[]): (fields: Fields) => Fields {
  const known = new Map(columns.map((column) => [fold(column), column]));
  const seen = new Map<string, string>();
  const nameOf = (given: string) => {
    const before = seen.get(given);
    if (before !== undefined) return before;
    const name = known.get(fold(given)) ?? given;
    if (seen.size < NAMES_MAX) seen.set(given, name);
    return name;
  };
  return (fields) => {
    const given = Object.keys(fields);
    return given.every((name) => nameOf(name) === name) ? fields : renamed(fields, nameOf);
  };
}

function fold(name: string): string {
  return name.replaceAll(/[_./:\s]/g, '').toLowerCase();
}

function renamed(fields: Fields, nameOf: (given: string) => string): Fields {
  const givenNames = new Map<string, string>();
  for (const given of Object.keys(fields)) {
    const name = nameOf(given);
    const other = givenNames.get(name);
    if (other !== undefined)
      throw new BillFormatError(
        `The columns ${JSON.stringify(other.slice(0, 80))} and ${JSON.stringify(given.slice(0, 80))} mean the same: remove one`,
      );
    givenNames.set(name, given);
  }
  return Object.fromEntries([...givenNames].map(([name, given]) => [name, fields[given]]));
}
