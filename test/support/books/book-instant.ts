/** The tests' own instants: whole microseconds since 1970. */

export const SECOND = 1_000_000n;
export const HOUR = 3600n * SECOND;
export const DAY = 24n * HOUR;

export function micros(iso: string): bigint {
  const match = /^(.{19})(?:\.(\d{1,6}))?Z$/.exec(iso.length === 10 ? `${iso}T00:00:00Z` : iso);
  if (!match) throw new Error(`Not an instant in UTC: ${iso}`);
  return BigInt(Date.parse(`${match[1]}Z`)) * 1000n + BigInt((match[2] ?? '').padEnd(6, '0'));
}

/** Microseconds are printed if they are not zero. */
export function isoOf(at: bigint): string {
  const iso = new Date(Number(at / 1000n)).toISOString();
  const rest = at % 1000n;
  return rest === 0n ? iso : `${iso.slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}

/** The same instant with an offset east of Greenwich. */
export function eastern(at: bigint, hours: number): string {
  return `${isoOf(at + BigInt(hours) * HOUR).slice(0, -1)}+${String(hours).padStart(2, '0')}:00`;
}

export function monthStart(at: bigint, monthsLater = 0): bigint {
  const date = new Date(Number(at / 1000n));
  return BigInt(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1)) * 1000n;
}

export function yearStart(at: bigint, yearsLater = 0): bigint {
  return BigInt(Date.UTC(new Date(Number(at / 1000n)).getUTCFullYear() + yearsLater, 0, 1)) * 1000n;
}
