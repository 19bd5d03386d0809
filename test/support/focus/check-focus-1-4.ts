/** Checks rows against the published column model of FOCUS 1.4: presence, nulls, types and allowed values. */
import { readFileSync } from 'node:fs';
import { DATE_TIME, type FocusRow, isKeyValue, NUMERIC } from './check-focus-1-2.ts';

interface Column {
  readonly feature_level: string;
  readonly allows_nulls: boolean;
  readonly data_type: string;
  readonly value_format: string;
  readonly allowed_values: readonly string[] | null;
}

interface Model {
  readonly datasets: { readonly 'Cost and Usage': { readonly columns: Readonly<Record<string, Column>> } };
  readonly service_subcategory_parents: Readonly<Record<string, string>>;
}

const MODEL = JSON.parse(
  readFileSync(new URL('../../../schema/focus/focus-1-4.json', import.meta.url), 'utf8'),
) as Model;
const COLUMNS = MODEL.datasets['Cost and Usage'].columns;

export function violationsOf14(rows: readonly FocusRow[]): string[] {
  const present = Object.keys(rows[0] ?? {});
  const found = new Set<string>();
  for (const [name, { feature_level: level }] of Object.entries(COLUMNS))
    if (level === 'Mandatory' && !present.includes(name)) found.add(`${name} is missing`);
  for (const name of present)
    if (!(name in COLUMNS) && !name.startsWith('x_')) found.add(`${name} is not a column of 1.4`);
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      const column = COLUMNS[name];
      if (column !== undefined && !isValid(value, column)) found.add(`${name} must not be ${value}`);
    }
    const parent = MODEL.service_subcategory_parents[row['ServiceSubcategory'] ?? ''];
    if (parent !== row['ServiceCategory']) found.add(`${row['ServiceSubcategory']} belongs to ${parent}`);
  }
  return [...found];
}

function isValid(value: string | null, column: Column): boolean {
  if (value === null) return column.allows_nulls;
  if (column.allowed_values !== null && !column.allowed_values.includes(value)) return false;
  if (column.value_format === 'Decimal (non-negative)' && value.startsWith('-')) return false;
  if (column.value_format === 'Currency' && !/^[A-Z]{3}$/.test(value)) return false;
  switch (column.data_type) {
    case 'Decimal':
      return NUMERIC.test(value);
    case 'Date/Time':
      return DATE_TIME.test(value);
    case 'JSON':
      return isKeyValue(value);
    default:
      return value !== '';
  }
}
