/** The longest blocking of the event loop during some work, as it would be on an idle machine. */

/**
 * The least of up to five attempts, in milliseconds: other work of the machine may fall into some, but work that blocks
 * does so every time. A slower or busier machine is allowed more, by what a yardstick takes there.
 */
export async function leastStretch(work: () => Promise<unknown>, milliseconds: number): Promise<number> {
  let stretch = Infinity;
  let yardstick = Infinity;
  let least = Infinity;
  for (let attempt = 0; attempt < 5 && least > milliseconds; attempt++) {
    stretch = Math.min(stretch, await longestStretch(work));
    if (stretch <= milliseconds) return stretch;
    yardstick = Math.min(yardstick, yardstickTime());
    least = stretch / Math.max(yardstick / YARDSTICK_MILLISECONDS, 1);
  }
  return least;
}

/** In milliseconds of this thread's processor time. */
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

/** Four megabytes of JSON, as a body may have. */
const YARDSTICK = Buffer.from(
  JSON.stringify(Array.from({ length: 40_000 }, (_, index) => ({ index, text: 'x'.repeat(80) }))),
);

/** What the yardstick takes on an idle machine of two cores. */
const YARDSTICK_MILLISECONDS = 10;

function yardstickTime(): number {
  const before = usedTime();
  JSON.parse(YARDSTICK.toString());
  return usedTime() - before;
}

function usedTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
