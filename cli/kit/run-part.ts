/** Runs a program of `start/`, the only folder whose code opens databases. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

const RUN = fileURLToPath(new URL('../../start/run', import.meta.url));

/**
 * About a third of the CPU weight of serving processes (each nice step takes a fifth). The lowest priority would get
 * no CPU time on a busy machine. A stalled backup holds a snapshot open, which keeps dead rows from being removed.
 */
const LOW_PRIORITY = 5;

/** Lowers the CPU priority of a process in favour of others, from now on. */
export function giveWay(pid: number): void {
  setPriority(pid, LOW_PRIORITY);
}

/**
 * Returns the program's output. Its progress goes to our standard error. Throws if the program fails, which it has
 * reported there.
 */
export async function runPart(part: string, args: readonly string[], { givesWay = false } = {}): Promise<string> {
  const child = spawn(RUN, [part, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (givesWay && child.pid !== undefined) giveWay(child.pid);
  const printed: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`The ${part} failed`);
  return Buffer.concat(printed).toString('utf8').trimEnd();
}
