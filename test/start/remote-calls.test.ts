/** Calls between the first process and its workers. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { connectCalls } from '../../start/workers/remote-calls.ts';

it('only a call to a process that has just ended fails', async () => {
  const child = spawn(process.execPath, ['-e', 'process.on("message", () => {})'], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const errors: Error[] = [];
  child.on('error', (error) => errors.push(error));
  await once(child, 'spawn');
  const calls = connectCalls(child, {});
  const ended = once(child, 'exit');
  // Blocks this process until the other one has ended, so that Node does not know yet.
  spawnSync('sh', [
    '-c',
    `kill -9 ${child.pid}; while kill -0 ${child.pid} 2>/dev/null && ! grep -q Z /proc/${child.pid}/stat; do :; done`,
  ]);
  await expect(calls.ask('anything', null, 50)).rejects.toThrow('No response to the call "anything"');
  await ended;
  expect(errors).toEqual([]);
});
