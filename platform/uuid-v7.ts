/**
 * Creates ids that increase with time (RFC 9562, section 5.7), so that new rows are adjacent in an index. A 12-bit
 * counter orders ids of one process within a millisecond; 62 random bits distinguish processes.
 */
import { now } from './clock.ts';
import { randomBytes } from './random.ts';

const COUNTER_MAX = 0xfff;
/** Number of random hexadecimal digits in an id; the first one also contains the variant. */
const RANDOM_DIGITS = 16;
const POOL_IDS = 512;
const VARIANTS = '89ab';

let pool = '';
let used = 0;
let lastMs = 0;
let counter = 0;
/** `lastMs` with its version and counter. */
let prefix = '';

/** Returns `count` ids in ascending order, above every earlier id of this process even if the clock goes back. */
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
