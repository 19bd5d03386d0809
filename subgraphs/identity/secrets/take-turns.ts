/** Lets only so many pieces of work run at once; the others wait in line. */
export function takeTurns(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // Whoever waits longest takes over the place.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
