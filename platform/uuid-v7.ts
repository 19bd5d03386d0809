/**
 * Ids that grow with time (RFC 9562, section 5.7), so that new rows lie next to each other in an index. Within one millisecond
 * of one process a counter of 12 bits keeps the order; 62 random bits keep ids of different processes apart.
 */
import { now } from './clock.ts';
import { randomBytes } from './random.ts';

const COUNTER_MAX = 0xfff;
const RANDOM_BYTES = 8;
const POOL_BYTES = RANDOM_BYTES * 512;

const BYTE_HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

let pool = Buffer.alloc(0);
let used = 0;
let lastMs = 0;
let counter = 0;

/** `count` ids in ascending order, above every id this process gave before, even when the clock goes back. */
export function uuidsV7(count: number): string[] {
  const nowMs = now().getTime();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    counter = 0;
  }
  return Array.from({ length: count }, nextUuid);
}

function nextUuid(): string {
  if (counter > COUNTER_MAX) {
    lastMs++;
    counter = 0;
  }
  const time = lastMs.toString(16).padStart(12, '0');
  const order = (counter++).toString(16).padStart(3, '0');
  if (used + RANDOM_BYTES > pool.length) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  const variant = hex(((pool[used] ?? 0) & 0x3f) | 0x80);
  let node = '';
  for (let at = used + 2; at < used + RANDOM_BYTES; at++) node += hex(pool[at]);
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7${order}-${variant}${hex(pool[used + 1])}-${node}`;
  used += RANDOM_BYTES;
  return id;
}

function hex(byte: number | undefined): string {
  return BYTE_HEX[byte ?? 0] ?? '00';
}
