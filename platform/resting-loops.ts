/** Idle job loops. Among loops with the same job, one checks again after its idle time; a notification wakes one. */

interface RestingLoops<Work> {
  /** Waits for a wake-up or the idle time in milliseconds. Returns at once after a missed notification. */
  untilCalled(work: Work, own: number | null): Promise<void>;
  /** Waits for the full time, even if the loop is woken. */
  pause(milliseconds: number): Promise<void>;
  /** Wakes one idle loop. */
  call(work: Work): boolean;
  /** Wakes one idle loop; if there is none, the next loop does not go idle. */
  announce(work: Work): void;
  /** Wakes all. */
  end(): void;
}

interface Sleeper {
  timer: NodeJS.Timeout | undefined;
  wake(): void;
}

export function restingLoops<Work extends { readonly restMilliseconds: number }>(
  works: readonly Work[],
): RestingLoops<Work> {
  const pausing = new Set<Sleeper>();
  const onCall = new Map(works.map((work) => [work, new Set<Sleeper>()]));
  const missed = new Set<Work>();

  const sleep = (among: Set<Sleeper>, milliseconds: number | null, then = () => {}): Promise<void> =>
    new Promise((resolve) => {
      const sleeper: Sleeper = {
        timer: undefined,
        wake() {
          clearTimeout(sleeper.timer);
          among.delete(sleeper);
          then();
          resolve();
        },
      };
      if (milliseconds !== null) sleeper.timer = setTimeout(sleeper.wake, milliseconds);
      among.add(sleeper);
    });

  const keepTime = ({ restMilliseconds }: Work, loops: ReadonlySet<Sleeper>): void => {
    const [first] = loops;
    if (first) first.timer ??= setTimeout(first.wake, restMilliseconds);
  };

  const call = (work: Work): boolean => {
    const last = [...onCall.get(work)!].at(-1);
    last?.wake();
    return last !== undefined;
  };

  return {
    async untilCalled(work, own) {
      if (missed.delete(work)) return;
      const loops = onCall.get(work)!;
      const rest = sleep(loops, own, () => keepTime(work, loops));
      keepTime(work, loops);
      await rest;
    },
    pause: (milliseconds) => sleep(pausing, milliseconds),
    call,
    announce(work) {
      if (!call(work)) missed.add(work);
    },
    end() {
      for (const sleeper of [...pausing, ...[...onCall.values()].flatMap((loops) => [...loops])]) sleeper.wake();
    },
  };
}
