/**
 * A process that calls models through the metered fetch, for tests that end it. `node metered-process.ts CALLS`.
 * Writes each id to standard output once its caller has the whole response. `MODE`: `loop` calls until it is killed,
 * `polite` closes on SIGTERM, `parent` starts three processes of its own. `PAUSE_MS` is the pause after each call,
 * `FLUSH_MS` the time limit for delivery at the end. `OUTCOME` is the key of an outcome to report.
 */
import { fork } from 'node:child_process';
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createBooks } from '../../packages/sdk-node/books.ts';

const { PROVIDERS = '', MODE = 'once', PAUSE_MS, FLUSH_MS } = process.env;
const calls = Number(process.argv[2] ?? 1);
const books = createBooks({ onError: () => {} });
let isEnding = false;

async function call(): Promise<void> {
  const stream = Math.random() < 0.5;
  const response = await books.fetch(`${PROVIDERS}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'gpt-4o', stream, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  const [, id] = /"id":"(chatcmpl-\d+)"/.exec(await response.text()) ?? [];
  writeSync(1, `${id}\n`);
}

async function callUntilTheEnd(): Promise<void> {
  for (let made = 0; !isEnding && (MODE === 'loop' || MODE === 'polite' || made < calls); made++) {
    await call();
    if (PAUSE_MS !== undefined) await new Promise((resolve) => setTimeout(resolve, Number(PAUSE_MS)));
  }
}

if (MODE === 'polite')
  process.once('SIGTERM', () => {
    isEnding = true;
  });
if (MODE === 'parent') {
  const children = [1, 2, 3].map(() =>
    fork(fileURLToPath(import.meta.url), [String(calls)], { env: { ...process.env, MODE: 'once' } }),
  );
  await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))));
}
if (process.env['OUTCOME']) books.outcome(process.env['OUTCOME'], { name: 'call', succeeded: true });
await Promise.all([callUntilTheEnd(), callUntilTheEnd(), callUntilTheEnd()]);
if (FLUSH_MS !== undefined) await books.flush(Number(FLUSH_MS));
if (process.env['STATS']) {
  await books.flush(1_000);
  writeSync(2, `${JSON.stringify(books.stats())}\n`);
}
if (MODE === 'polite') await books.close();
