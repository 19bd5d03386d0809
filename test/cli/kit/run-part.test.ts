/**
 * A low-priority process uses little of a busy machine, but more than nothing: a starving backup would keep a snapshot
 * open.
 */
import { spawn } from 'node:child_process';
import { getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { giveWay } from '../../../cli/kit/run-part.ts';

it('a process runs with lower priority than serving processes, but not the lowest', () => {
  const child = spawn(process.execPath, ['--eval', 'setTimeout(() => {}, 60_000)']);
  const before = getPriority(child.pid);
  giveWay(child.pid!);
  const after = getPriority(child.pid);
  child.kill('SIGKILL');
  expect(after).toBeGreaterThan(before);
  expect(after).toBeLessThan(10);
});
