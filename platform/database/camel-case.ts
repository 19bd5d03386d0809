/** Column names as property names. */

/** Converts a column name to camelCase: `cache_creation_1h` becomes `cacheCreation1h`. */
export function camelCase(column: string): string {
  return column.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

interface Shape {
  readonly names: readonly string[];
  /** Null if no name has to be changed. */
  readonly empty: Readonly<Record<string, unknown>> | null;
}

/** Cache by columns of a result. There are far fewer statements than this limit. */
const shapes = new Map<string, Shape>();
const SHAPES_MAX = 1_000;

/**
 * Renames columns to camelCase. Values, including JSON, are unchanged. Names are computed once per set of columns;
 * rows whose names need no change are returned as they are.
 */
export function camelCaseRows<Row>(rows: readonly object[]): Row[] {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = Object.keys(first);
  const { names, empty } = shapeOf(columns);
  if (empty === null) return rows as Row[];
  return rows.map((row) => {
    // Copies of one object share its hidden class: assigning to them is fast.
    const renamed = { ...empty };
    for (let index = 0; index < columns.length; index++) {
      renamed[names[index]!] = (row as Record<string, unknown>)[columns[index]!];
    }
    return renamed as Row;
  });
}

function shapeOf(columns: readonly string[]): Shape {
  const key = columns.join();
  const known = shapes.get(key);
  if (known !== undefined) return known;
  const names = columns.map(camelCase);
  const isRight = columns.every((column, index) => column === names[index]);
  const shape = { names, empty: isRight ? null : Object.fromEntries(names.map((name) => [name, null])) };
  if (shapes.size < SHAPES_MAX) shapes.set(key, shape);
  return shape;
}
