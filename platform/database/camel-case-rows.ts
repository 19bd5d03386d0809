/** The one idiom of a row: PostgreSQL's names of columns in camelCase. What lies inside a value, such as JSON, stays as it is. */

interface Shape {
  readonly names: readonly string[];
  /** Null where every name is as it should be. */
  readonly empty: Readonly<Record<string, unknown>> | null;
}

/** By the columns of a result. So many statements; there are far fewer. */
const shapes = new Map<string, Shape>();
const SHAPES_MAX = 1_000;

/** Names are worked out once for all results of the same columns. Rows without a name to change are returned as they are. */
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

/** `cache_creation_1h` is `cacheCreation1h`. */
function camelCase(column: string): string {
  return column.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
