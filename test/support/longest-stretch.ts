/** The longest blocking of the event loop during some work, as it would be on an idle machine. */

/**
 * The least of up to five attempts, in milliseconds: other work of the machine may delay some of them, but work that
 * blocks does so every time. A yardstick is timed after each attempt: if it takes twice as long as on an idle
 * machine, half the result counts.
 */
export async function leastStretch(work: () => Promise<unknown>, milliseconds: number): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < 5 && least > milliseconds; attempt++) {
    const stretch = await longestStretch(work);
    if (stretch <= milliseconds) return stretch;
    least = Math.min(least, stretch / Math.max(yardstickTime() / YARDSTICK_MILLISECONDS, 1));
  }
  return least;
}

/** Longest stretch without a turn of the event loop, in milliseconds of this thread's processor time. */
async function longestStretch(work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  let longest = 0;
  let before = usedTime();
  const tick = (): void => {
    const after = usedTime();
    longest = Math.max(longest, after - before);
    before = after;
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  isDone = true;
  // Work that never yields ends before the first tick.
  return Math.max(longest, usedTime() - before);
}

/** Two bodies of four megabytes: one of many values, one of a single long text. */
const YARDSTICKS = [
  Array.from({ length: 40_000 }, (_, index) => ({ index, text: 'x'.repeat(80) })),
  ['x'.repeat(4 * 1024 * 1024)],
].map((body) => Buffer.from(JSON.stringify(body)));

/** What the yardsticks take on an idle machine of two cores. */
const YARDSTICK_MILLISECONDS = 15;

function yardstickTime(): number {
  const before = usedTime();
  for (const body of YARDSTICKS) JSON.parse(body.toString());
  return usedTime() - before;
}

function usedTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
