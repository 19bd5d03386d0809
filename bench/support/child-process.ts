/** Starts one of the product's own commands with the benchmark's settings, and stops it in every case. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { undoLater } from './cleanup.ts';

export interface RunningChild {
  readonly pid: number;
  /** Time from the spawn to the first `200`. */
  readonly readyMilliseconds: number;
  stop(): Promise<void>;
}

export interface ChildOptions {
  /** Program and arguments, relative to the repository's root. */
  readonly command: readonly [string, ...string[]];
  readonly settings: Readonly<Record<string, string>>;
  /** Returns `200` once the child serves. */
  readonly readyUrl: string;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OUTPUT_CHARACTERS_MAX = 4_000;
const READY_SECONDS_MAX = 180;
const STOP_SECONDS_MAX = 15;
const POLL_MILLISECONDS = 5;

/** Settings of the person running the benchmark must not reach the service under test. */
const NOT_INHERITED = [
  'DATABASE_URL',
  'IDENTITY_DATABASE_URL',
  'COSTING_DATABASE_URL',
  'ATTRIBUTION_DATABASE_URL',
  'REVENUE_DATABASE_URL',
  'ALERTING_DATABASE_URL',
  'RECONCILIATION_DATABASE_URL',
  'REDIS_URL',
  'GATEWAY_URL',
  'IDENTITY_URL',
  'COSTING_URL',
  'ATTRIBUTION_URL',
  'REVENUE_URL',
  'ALERTING_URL',
  'RECONCILIATION_URL',
  'API_ORIGIN',
  'APP_URL',
  'MCP_URL',
  'SERVICE_SECRET',
];

/** Throws with the end of the child's output if the child exits or is not ready in time. */
export async function startChild({ command, settings, readyUrl }: ChildOptions): Promise<RunningChild> {
  const started = elapsedMilliseconds();
  // In its own session: Ctrl-C reaches only us, and we stop the child in order.
  const child = spawn('env', [...environmentOf(settings), ...command], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = undoLater(() => end(child));
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS_MAX);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command[0]} cannot be started`);
  while (!(await isReady(readyUrl))) {
    const seconds = (elapsedMilliseconds() - started) / 1000;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${command.join(' ')} ended before it was ready:\n${output}`);
    if (seconds > READY_SECONDS_MAX)
      throw new Error(`${command.join(' ')} was not ready after ${READY_SECONDS_MAX} s:\n${output}`);
    await pause(POLL_MILLISECONDS);
  }
  return { pid, readyMilliseconds: elapsedMilliseconds() - started, stop };
}

/** Arguments of `env`, before a command. */
export function environmentOf(settings: Readonly<Record<string, string>>): string[] {
  const unset = NOT_INHERITED.flatMap((name) => ['-u', name]);
  const set = Object.entries({ APOLLO_TELEMETRY_DISABLED: 'true', ...settings });
  return [...unset, ...set.map(([name, value]) => `${name}=${value}`)];
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

/**
 * Ends the whole process group and waits until all of it is gone: a shell between us and the service may exit without
 * forwarding the signal.
 */
async function end({ pid = 0, stdout, stderr }: ChildProcess): Promise<void> {
  const until = elapsedMilliseconds() + STOP_SECONDS_MAX * 1000;
  signalGroup(pid, 'SIGTERM');
  while (signalGroup(pid, 0)) {
    if (elapsedMilliseconds() > until) signalGroup(pid, 'SIGKILL');
    await pause(POLL_MILLISECONDS);
  }
  stdout?.destroy();
  stderr?.destroy();
}

/** Returns false if the group no longer exists. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
