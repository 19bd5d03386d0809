/** Random windows whose ends are often a microsecond from a unit boundary, or exactly one unit apart. */
import fc from 'fast-check';
import { instantAt } from '#kernel/time/instant.ts';
import type { Window } from '#kernel/time/window.ts';

const DAY = 86_400_000_000n;
const BEGIN = BigInt(Date.UTC(2025, 10, 3)) * 1000n;

const start = fc
  .tuple(fc.bigInt({ min: 0n, max: 500n }), fc.oneof(near(0n), fc.bigInt({ min: 0n, max: DAY })))
  .map(([days, offset]) => BEGIN + days * DAY + offset);
const length = fc.oneof(
  near(30n * DAY),
  near(90n * DAY),
  fc.bigInt({ min: 1n, max: 400n * DAY }),
  fc.bigInt({ min: 1n, max: 400n }).map((days) => days * DAY),
);

export const aWindow: fc.Arbitrary<Window> = fc
  .tuple(start, length)
  .map(([from, micros]) => ({ start: instantAt(from), end: instantAt(from + micros) }));

/** Up to two milliseconds away. */
function near(micros: bigint): fc.Arbitrary<bigint> {
  return fc
    .oneof(fc.bigInt({ min: -3n, max: 3n }), fc.bigInt({ min: -2_000n, max: 2_000n }))
    .map((away) => micros + away);
}
