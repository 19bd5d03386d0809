/** Writes a parameter in PostgreSQL's text format; buffers are sent as binary. */
export type BoundValue = string | Buffer | null;

/** Throws for a value that has no text, such as a circular object. */
export function bindValue(value: unknown): BoundValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  if (value instanceof Date) return instantText(value);
  if (Array.isArray(value)) return arrayText(value);
  if (typeof value === 'object') return JSON.stringify(value);
  // oxlint-disable-next-line typescript/no-base-to-string -- a number, bigint or boolean
  return String(value);
}

/** PostgreSQL writes years after 9999 without a sign and years before 1 with "BC". */
function instantText(date: Date): string {
  const iso = date.toISOString();
  if (/^\d/.test(iso)) return iso.startsWith('0000-') ? `0001${iso.slice(4)} BC` : iso;
  const year = Math.abs(Number(iso.slice(0, 7)));
  const rest = iso.slice(7);
  return iso.startsWith('+') ? `${year}${rest}` : `${String(year + 1).padStart(4, '0')}${rest} BC`;
}

function arrayText(elements: readonly unknown[]): string {
  return `{${elements.map(elementText).join(',')}}`;
}

function elementText(element: unknown): string {
  if (Array.isArray(element)) return arrayText(element);
  const bound = bindValue(element);
  if (bound === null) return 'NULL';
  if (Buffer.isBuffer(bound)) return `"\\\\x${bound.toString('hex')}"`;
  return `"${bound.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
