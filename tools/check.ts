/**
 * `npm run check`: runs every script of package.json whose name begins with `check:`, one per core at a time. `npm run
 * check -- types lint` runs only those. Prints the output of failed checks, and a count at the end.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { now } from '#platform/clock.ts';

interface Outcome {
  readonly name: string;
  readonly seconds: number;
  readonly isGreen: boolean;
  readonly output: string;
}

const PREFIX = 'check:';
/** Started first: with a cold cache it takes as long as all others combined. */
const LONGEST = 'lint';
const root = fileURLToPath(new URL('../', import.meta.url));

const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> };
const known = Object.keys(scripts).flatMap((name) => (name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown check ${unknown.join(', ')}. Use one of: ${known.join(', ')}`);
  process.exit(2);
}

const waiting = wanted.length > 0 ? wanted : [LONGEST, ...known.filter((name) => name !== LONGEST)];
const outcomes: Outcome[] = [];
await Promise.all(Array.from({ length: availableParallelism() }, work));

const red = outcomes.filter(({ isGreen }) => !isGreen);
for (const { name, output } of red) console.error(`\n${name}: npm run check -- ${name}\n\n${output.trim()}`);
console.log(
  red.length === 0 ? `\nAll ${outcomes.length} checks passed` : `\n${red.length} of ${outcomes.length} checks failed`,
);
process.exitCode = red.length === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const outcome = await run(name);
    outcomes.push(outcome);
    console.log(`${outcome.isGreen ? '✔' : '✘'} ${name} (${outcome.seconds.toFixed(1)} s)`);
  }
}

function run(name: string): Promise<Outcome> {
  const start = now().getTime();
  return new Promise((resolve) => {
    const chunks: string[] = [];
    const line = `PATH="$PWD/node_modules/.bin:$PATH"; ${scripts[`${PREFIX}${name}`]}`;
    const child = spawn('sh', ['-c', line], { cwd: root });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
    child.on('close', (code) => {
      resolve({ name, seconds: (now().getTime() - start) / 1000, isGreen: code === 0, output: chunks.join('') });
    });
  });
}
