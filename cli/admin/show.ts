/** An output for people: names and values below one another, a list as a table. */

export function show(output: unknown): string {
  if (Array.isArray(output)) return output.length === 0 ? 'None.' : table(output.map(flatten));
  if (typeof output !== 'object' || output === null) return output === null ? 'None.' : cell(output);
  const lists = Object.entries(output).filter(([, value]) => isListOfObjects(value));
  const plain = Object.entries(output).filter(([, value]) => !isListOfObjects(value));
  const width = Math.max(0, ...plain.map(([name]) => name.length));
  return [
    ...plain.map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`),
    ...lists.flatMap(([name, value]) => ['', `${name}:`, show(value)]),
  ].join('\n').trim();
}

type Row = Readonly<Record<string, unknown>>;

function flatten(item: unknown): Row {
  return typeof item === 'object' && item !== null ? item as Row : { value: item };
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && typeof value[0] === 'object';
}

function table(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) => line.map((value, column) => value.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(', ');
  if (typeof value === 'object') return Object.entries(value).map(([name, inner]) => `${name}=${cell(inner)}`).join(' ') || '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
