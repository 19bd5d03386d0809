/** Stops parts one after the other. One that does not end in time is named in the log and left: a stop must come to its end. */
import type { Log } from '../platform/log.ts';

const PART_MILLISECONDS = 8_000;

export async function stopInOrder(parts: Readonly<Record<string, () => Promise<unknown>>>, log: Log): Promise<void> {
  for (const [part, stop] of Object.entries(parts)) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => { timer = setTimeout(resolve, PART_MILLISECONDS, 'late'); });
    if (await Promise.race([stop(), late]) === 'late') log.warn({ part }, 'A part did not stop in time and is left');
    clearTimeout(timer);
  }
}
