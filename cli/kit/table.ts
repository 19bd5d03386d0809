/** Output for people: names with values, and lists as tables. */

/** One line for each name and its value. */
export function pairs(entries: readonly (readonly [name: string, value: string])[]): string[] {
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

/** Aligned columns, two spaces apart. */
export function aligned(
  rows: readonly (readonly string[])[],
  isRight: (column: number) => boolean = () => false,
): { readonly lines: string[]; readonly widths: number[] } {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return isRight(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
  return { lines, widths };
}

/**
 * Formats any JSON value: an object as pairs, with its lists of objects below; a list as a table, or as objects one
 * below the other if they contain such lists.
 */
export function valueAsText(output: unknown): string {
  if (Array.isArray(output)) {
    const rows = output.map(flatten);
    if (rows.some((row) => Object.values(row).some(isListOfObjects))) return rows.map(valueAsText).join('\n\n');
    return rows.length === 0 ? 'None.' : table(rows);
  }
  if (typeof output !== 'object' || output === null) return output === null ? 'None.' : cell(output);
  const lists = Object.entries(output).filter(([, value]) => isListOfObjects(value));
  const plain = Object.entries(output).filter(([, value]) => !isListOfObjects(value));
  return [
    ...pairs(plain.map(([name, value]) => [name, cell(value)])),
    ...lists.flatMap(([name, value]) => ['', `${name}:`, valueAsText(value)]),
  ]
    .join('\n')
    .trim();
}

type Row = Readonly<Record<string, unknown>>;

function flatten(item: unknown): Row {
  return typeof item === 'object' && item !== null ? (item as Row) : { value: item };
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && typeof value[0] === 'object';
}

function table(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return aligned([names, ...rows.map((row) => names.map((name) => cell(row[name])))]).lines.join('\n');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(', ');
  if (typeof value === 'object')
    return (
      Object.entries(value)
        .map(([name, inner]) => `${name}=${cell(inner)}`)
        .join(' ') || '-'
    );
  return typeof value === 'string' ? value : JSON.stringify(value);
}
