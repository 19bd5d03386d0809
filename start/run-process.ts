/**
 * Code shared by all processes of this service: settings, port and parts, which stop in reverse order on a signal or
 * an error.
 */
import { basename } from 'node:path';
import { type Config, ConfigError, readConfig } from '#platform/config.ts';
import { abortConnections } from '#platform/database/connections/database-server.ts';
import { createLog } from '#platform/log.ts';
import { StartError } from '#platform/start-error.ts';
import { beginDraining } from './health/drain.ts';
import { requireFreePort } from './listen-on.ts';
import { isWorker, leadsWorkers, onStopOfWorker } from './workers/channel.ts';

/** Maximum time for the parts to stop after a failed start: a step of a job, the database's shutdown. */
const FAILED_START_MILLISECONDS_MAX = 10_000;

/**
 * `start` adds each started part to the stack, and returns the text to print when all are running; null for none.
 * `settingsOf` derives settings from the arguments.
 */
export async function runProcess(
  start: (config: Config, args: readonly string[], parts: AsyncDisposableStack) => Promise<string | null>,
  settingsOf: (args: readonly string[]) => Readonly<Record<string, string>> = () => ({}),
): Promise<void> {
  // Files written by this process and its children are readable only by its own account.
  process.umask(0o077);
  const parts = new AsyncDisposableStack();
  try {
    const args = process.argv.slice(2);
    const config = readConfig(undefined, settingsOf(args));
    if (!isWorker) await requireFreePort(config);
    if (config.traces.isOn) parts.defer(await tracing(config));
    const ready = await start(config, args, parts);
    // Workers drain themselves as soon as they are told to stop.
    const [drainSeconds, stopSeconds] = leadsWorkers() ? [0, config.drainSeconds] : [config.drainSeconds, 0];
    stopOnSignals(() => parts.disposeAsync(), { drainSeconds, stopSeconds });
    if (ready !== null) process.stderr.write(`${ready}\n`);
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    setTimeout(() => process.exit(1), FAILED_START_MILLISECONDS_MAX);
    await parts
      .disposeAsync()
      .catch((failure: unknown) => process.stderr.write(`Not stopped cleanly: ${(failure as Error).message}\n`));
    process.exit(1);
  }
}

/** The name is e.g. `books-subgraph-costing`. Tracing modules are loaded only here. */
async function tracing(config: Config): Promise<() => Promise<void>> {
  const { startTracing } = await import('#platform/observability/start-tracing.ts');
  const [, script = '', part = ''] = process.argv;
  const name = ['books', basename(script, '.ts'), ...(/^[a-z]/.test(part) ? [part] : [])].join('-');
  const traces = startTracing(config, name, createLog(config.logLevel));
  return () => traces.stop();
}

function describe(error: unknown): string {
  return foreseen(error)?.message ?? `The service could not start: ${(error as Error).stack}`;
}

/** The circuit breaker of a database wraps the reason of a refused connection. */
function foreseen(error: unknown): Error | null {
  if (error instanceof ConfigError || error instanceof StartError) return error;
  return error instanceof Error && error.cause !== undefined ? foreseen(error.cause) : null;
}

export function requiredUrl({ gatewayUrl }: Config, name: 'GATEWAY_URL'): string {
  if (gatewayUrl === null) throw new ConfigError([`${name} is required when processes are separate`]);
  return gatewayUrl;
}

/** After this time, waiting database statements are aborted, so that requests and job steps end with an error. */
const GRACE_MILLISECONDS = 6_000;
/** An embedded PostgreSQL shuts itself down when its parent process is gone, so exiting loses nothing. */
const STOP_MILLISECONDS_MAX = 9_000;

/**
 * Ctrl-C and SIGTERM end the process cleanly. A second signal, or a stop that takes too long, ends it at once. First
 * it serves for another `drainSeconds` while reporting that it is not ready, so that load balancers notice.
 */
function stopOnSignals(
  stop: () => Promise<void>,
  { drainSeconds, stopSeconds }: { readonly drainSeconds: number; readonly stopSeconds: number },
): void {
  let stopping = false;
  const heard = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    beginDraining();
    setTimeout(stopNow, drainSeconds * 1_000);
  };
  const stopNow = (): void => {
    setTimeout(() => abortConnections(new Error('The process stops')), GRACE_MILLISECONDS).unref();
    setTimeout(() => leave('it took too long'), STOP_MILLISECONDS_MAX + stopSeconds * 1_000).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => leave((error as Error).message),
    );
  };
  if (isWorker) return onStopOfWorker(heard);
  process.on('SIGINT', heard);
  process.on('SIGTERM', heard);
}

function leave(reason: string): never {
  process.stderr.write(`Not stopped cleanly: ${reason}\n`);
  process.exit(1);
}
