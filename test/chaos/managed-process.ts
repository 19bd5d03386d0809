/** A process of the service under a supervisor, as operators run it: it is restarted whenever it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLOCK = new URL('shifted-clock.ts', import.meta.url).href;
const RESTART_MILLISECONDS = 300;
/** A process that takes longer hangs: a first start may take minutes on a busy machine. */
const READY_MILLISECONDS_MAX = 900_000;
const WAIT_SAMPLE_MILLISECONDS = 200;

export interface ProcessOptions {
  /** Script in `start/`. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Called for events that should never happen. */
  readonly onFinding: (finding: string) => void;
}

export class ManagedProcess {
  readonly name: string;
  readonly url: string;
  readonly logFile: string;
  readonly #options: ProcessOptions;
  #child: ChildProcess | null = null;
  #exited: Promise<void> = Promise.resolve();
  #isStopping = false;
  #isExpectedToEnd = false;
  #hasBeenReady = false;
  #shift = 0;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.name = [options.script, ...(options.args ?? [])].join(' ');
    this.url = `http://127.0.0.1:${options.port}`;
    this.logFile = options.logFile;
    this.#start();
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /**
   * Sends a signal that should end the process. Resolves with the seconds until it ended, without the time spent
   * waiting for a processor.
   */
  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number> {
    this.#isExpectedToEnd = true;
    const { pid } = this;
    const began = performance.now();
    const before = secondsWaitedForProcessor(pid);
    let waited = before;
    const sampler = setInterval(() => {
      waited = Math.max(waited, secondsWaitedForProcessor(pid));
    }, WAIT_SAMPLE_MILLISECONDS);
    const exited = this.#exited;
    this.#child?.kill(signal);
    await exited;
    clearInterval(sampler);
    return (performance.now() - began) / 1000 - (waited - before);
  }

  /** Frozen, like a process on a swapping machine, until `SIGCONT`. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  /** Sets the error of the process's wall clock, in milliseconds. */
  shiftClock(shift: number): void {
    this.#shift = shift;
    if (this.#child?.connected) this.#child.send({ shift });
  }

  async isReady(): Promise<boolean> {
    const isReady = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status === 200;
      },
      () => false,
    );
    this.#hasBeenReady ||= isReady;
    return isReady;
  }

  /** Resolves with the seconds until it was ready. Throws if it takes too long. */
  async ready(): Promise<number> {
    const began = performance.now();
    while (!(await this.isReady())) {
      if (performance.now() - began > READY_MILLISECONDS_MAX) {
        const body = await fetch(`${this.url}/readyz`).then((answer) => answer.text(), String);
        throw new Error(`${this.name} is not ready after ${READY_MILLISECONDS_MAX / 1000} s: ${body}\n${this.tail()}`);
      }
      await pause(50);
    }
    return (performance.now() - began) / 1000;
  }

  /** The last lines of the process's log. */
  tail(lines = 20): string {
    return readFileSync(this.logFile, 'utf8').split('\n').slice(-lines).join('\n');
  }

  /** Ends the process permanently. Resolves with the seconds until it ended. */
  async stop(): Promise<number> {
    this.#isStopping = true;
    this.signal('SIGCONT');
    return this.kill('SIGTERM');
  }

  #start(): void {
    const { script, args = [], port, env, logFile } = this.#options;
    const log = openSync(logFile, 'a');
    const child = spawn(
      process.execPath,
      [
        '--max-semi-space-size=8',
        '--max-old-space-size=1024',
        '--disable-warning=ExperimentalWarning',
        `--import=${CLOCK}`,
        `start/${script}.ts`,
        ...args,
      ],
      {
        cwd: ROOT,
        env: {
          PATH: process.env['PATH'] ?? '',
          APOLLO_TELEMETRY_DISABLED: 'true',
          NODE_COMPILE_CACHE: `${ROOT}node_modules/.cache/compile`,
          PORT: String(port),
          ...env,
        },
        stdio: ['ignore', log, log, 'ipc'],
      },
    );
    closeSync(log);
    child.on('error', () => {});
    this.#child = child;
    this.#isExpectedToEnd = false;
    this.#hasBeenReady = false;
    if (this.#shift !== 0) child.send({ shift: this.#shift });
    this.#exited = new Promise((resolve) =>
      child.once('exit', (code, signal) => {
        resolve();
        void this.#restart(code ?? signal);
      }),
    );
  }

  /** A start may fail while a dependency is unavailable, but a serving process never ends by itself. */
  async #restart(how: number | string | null): Promise<void> {
    if (!this.#isExpectedToEnd && this.#hasBeenReady)
      this.#options.onFinding(`${this.name} ended by itself (${how}):\n${this.tail()}`);
    if (!this.#isStopping) await pause(RESTART_MILLISECONDS);
    if (!this.#isStopping) this.#start();
  }
}

/** CPU time of its main thread; 0 if the system does not report it, or once it has ended. */
function secondsWaitedForProcessor(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e9;
  } catch {
    return 0;
  }
}
