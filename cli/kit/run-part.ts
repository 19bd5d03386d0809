/** Runs a program of `start/`: what opens databases is put together there, and nowhere else. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

const RUN = fileURLToPath(new URL('../../start/run', import.meta.url));

/**
 * What it prints. Its progress goes to our standard error; throws when it fails, which it has told there. With `givesWay` it takes, from its
 * first moment on, only what those who serve leave of the cores.
 */
export async function runPart(part: string, args: readonly string[], { givesWay = false } = {}): Promise<string> {
  const child = spawn(RUN, [part, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (givesWay && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const printed: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`The ${part} did not end well`);
  return Buffer.concat(printed).toString('utf8').trimEnd();
}
