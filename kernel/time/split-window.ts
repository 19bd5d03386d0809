/**
 * Cuts a window where whole hours, days or months begin and end, so that a read adds up the fewest rows and stays
 * exact.
 */

/** Instants are ISO 8601 UTC texts of up to six digits of fraction; `end` is exclusive. */
export interface Span {
  readonly start: string;
  readonly end: string;
}

/**
 * Six instants in order: broken fine unit, whole fine units, whole coarse units, whole fine units, broken fine unit.
 * Neighbours are equal where a stretch is empty.
 */
export type SplitWindow = readonly [string, string, string, string, string, string];

export type Unit = 'hour' | 'day' | 'month';

const HOUR = 3_600_000_000n;
const DAY = 24n * HOUR;

export function splitWindow({ start, end }: Span, fine: Unit, coarse: Unit): SplitWindow {
  const from = toMicros(start);
  const to = toMicros(end);
  const fineFrom = least(ceil(from, fine), to);
  const fineTo = most(floor(to, fine), fineFrom);
  const coarseFrom = least(ceil(fineFrom, coarse), fineTo);
  const coarseTo = most(floor(fineTo, coarse), coarseFrom);
  return [start, toIso(fineFrom), toIso(coarseFrom), toIso(coarseTo), toIso(fineTo), end];
}

/** Microseconds since 1970: a number would lose them after the year 2255. */
export function toMicros(iso: string): bigint {
  const [whole = '', fraction = ''] = iso.slice(0, -1).split('.');
  return BigInt(Date.parse(`${whole}Z`)) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

export function toIso(micros: bigint): string {
  const iso = new Date(Number(micros / 1000n)).toISOString();
  const rest = micros % 1000n;
  return rest === 0n ? iso : `${iso.slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}

function floor(micros: bigint, unit: Unit): bigint {
  if (unit === 'hour') return micros - (micros % HOUR);
  if (unit === 'day') return micros - (micros % DAY);
  const date = new Date(Number(micros / 1000n));
  return BigInt(Date.UTC(date.getUTCFullYear(), date.getUTCMonth())) * 1000n;
}

function ceil(micros: bigint, unit: Unit): bigint {
  const before = floor(micros, unit);
  if (before === micros) return micros;
  if (unit === 'hour') return before + HOUR;
  if (unit === 'day') return before + DAY;
  const date = new Date(Number(before / 1000n));
  return BigInt(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)) * 1000n;
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function most(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
