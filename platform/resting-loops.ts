/** Loops that have nothing to do. Of those that do the same, one looks again when its time is over; who knows of work calls one of them. */

interface RestingLoops<Work> {
  /** Until one is called for the work, or the time is over: its own where it is given, in milliseconds. Not at all after a missed announcement. */
  untilCalled(work: Work, own: number | null): Promise<void>;
  /** No call ends it. */
  pause(milliseconds: number): Promise<void>;
  /** Wakes one loop, if any rests. */
  call(work: Work): boolean;
  /** The same; where none rests, the next one that would does not. */
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
