/**
 * Ids that grow with time (RFC 9562, section 5.7), so that new rows lie next to each other in an index. Within one millisecond
 * of one process a counter of 12 bits keeps the order; 62 random bits keep ids of different processes apart.
 */
import { now } from './clock.ts';
import { randomBytes } from './random.ts';

const COUNTER_MAX = 0xfff;
/** Hexadecimal digits of an id that are random; the first of them says the variant as well. */
const RANDOM_DIGITS = 16;
const POOL_IDS = 512;
const VARIANTS = '89ab';

let pool = '';
let used = 0;
let lastMs = 0;
let counter = 0;
/** Of `lastMs`, up to the counter. */
let prefix = '';

/** `count` ids in ascending order, above every id this process gave before, even when the clock goes back. */
export function uuidsV7(count: number): string[] {
  const nowMs = now().getTime();
  if (nowMs > lastMs) beginMillisecond(nowMs);
  const ids: string[] = [];
  while (ids.length < count) ids.push(nextUuid());
  return ids;
}

function beginMillisecond(time: number): void {
  const digits = time.toString(16).padStart(12, '0');
  prefix = `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
  lastMs = time;
  counter = 0;
}

function nextUuid(): string {
  if (counter > COUNTER_MAX) beginMillisecond(lastMs + 1);
  if (used === pool.length) {
    pool = randomBytes((POOL_IDS * RANDOM_DIGITS) / 2).toString('hex');
    used = 0;
  }
  const order = (counter++).toString(16).padStart(3, '0');
  const variant = VARIANTS.charAt(Number.parseInt(pool.charAt(used), 16) % VARIANTS.length);
  const id = `${prefix}${order}-${variant}${pool.slice(used + 1, used + 4)}-${pool.slice(used + 4, used + RANDOM_DIGITS)}`;
  used += RANDOM_DIGITS;
  return id;
}
