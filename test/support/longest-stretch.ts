/** The longest blocking of the event loop during `work`, in milliseconds of this thread's processor time. */
async function longestStretch(work: () => Promise<unknown>): Promise<number> {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let isDone = false;
  let longest = 0;
  let before = used();
  const tick = (): void => {
    const after = used();
    longest = Math.max(longest, after - before);
    before = after;
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  isDone = true;
  // Work that never yields ends before the first tick.
  return Math.max(longest, used() - before);
}

/** The least of up to five attempts: other work of the machine may fall into some, but work that blocks does so every time. */
export async function leastStretch(work: () => Promise<unknown>, milliseconds: number): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < 5 && least > milliseconds; attempt++)
    least = Math.min(least, await longestStretch(work));
  return least;
}
