/** Runs a program of `start/`: what opens databases is put together there, and nowhere else. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

const RUN = fileURLToPath(new URL('../../start/run', import.meta.url));

/**
 * A third of the weight of those who serve (each step takes a fifth of it). Not the lowest there is: on a full machine that is no time at all,
 * and a backup that does not move holds a snapshot open, which keeps dead rows from being removed.
 */
const LOW_PRIORITY = 5;

/** Lets a process take little of the cores where others want them, from now on. */
export function giveWay(pid: number): void {
  setPriority(pid, LOW_PRIORITY);
}

/** What it prints. Its progress goes to our standard error; throws when it fails, which it has told there. */
export async function runPart(part: string, args: readonly string[], { givesWay = false } = {}): Promise<string> {
  const child = spawn(RUN, [part, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (givesWay && child.pid !== undefined) giveWay(child.pid);
  const printed: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`The ${part} did not end well`);
  return Buffer.concat(printed).toString('utf8').trimEnd();
}
