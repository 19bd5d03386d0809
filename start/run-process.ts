/** What every process of this service shares: settings, port, its parts; on a signal or an error they stop in reverse order. */
import { basename } from 'node:path';
import { type Config, ConfigError, readConfig } from '#platform/config.ts';
import { abortConnections } from '#platform/database/connections/database-server.ts';
import { createLog } from '#platform/log.ts';
import { StartError } from '#platform/start-error.ts';
import { beginDraining } from './health/drain.ts';
import { requireFreePort } from './listen-on.ts';
import { isWorker, leadsWorkers, onStopOfWorker } from './workers/channel.ts';

/** A start that failed waits so long for its parts to stop: a step of a job, the database's shutdown. */
const FAILED_START_MILLISECONDS_MAX = 10_000;

/**
 * `start` puts what stops a part on the stack as soon as it has started it, and returns what to print when all run; null: nothing.
 * `settingsOf` says which settings the arguments stand for.
 */
export async function runProcess(
  start: (config: Config, args: readonly string[], parts: AsyncDisposableStack) => Promise<string | null>,
  settingsOf: (args: readonly string[]) => Readonly<Record<string, string>> = () => ({}),
): Promise<void> {
  // Whatever this process and its children write is for its own account alone.
  process.umask(0o077);
  const parts = new AsyncDisposableStack();
  try {
    const args = process.argv.slice(2);
    const config = readConfig(undefined, settingsOf(args));
    if (!isWorker) await requireFreePort(config);
    if (config.traces.isOn) parts.defer(await tracing(config));
    const ready = await start(config, args, parts);
    // Workers drain by themselves, as soon as they are to stop.
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

/** Such as `books-subgraph-costing`. What it needs is loaded here and nowhere else. */
async function tracing(config: Config): Promise<() => Promise<void>> {
  const { startTracing } = await import('#platform/observability/start-tracing.ts');
  const [, script = '', part = ''] = process.argv;
  const name = ['books', basename(script, '.ts'), ...(/^[a-z]/.test(part) ? [part] : [])].join('-');
  const traces = startTracing(config, name, createLog(config.logLevel));
  return () => traces.stop();
}

function describe(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartError) return error.message;
  return `The service could not start: ${(error as Error).stack}`;
}

export function requiredUrl({ gatewayUrl }: Config, name: 'GATEWAY_URL'): string {
  if (gatewayUrl === null) throw new ConfigError([`${name} is required when processes are separate`]);
  return gatewayUrl;
}

/** Then whatever still waits for a database is cut off, so that requests and steps of jobs end with an error. */
const GRACE_MILLISECONDS = 6_000;
/** An embedded PostgreSQL shuts itself down when its parent is gone, so nothing is lost by leaving. */
const STOP_MILLISECONDS_MAX = 9_000;

/**
 * Ctrl-C and SIGTERM end the process cleanly; a second one, or a stop that takes too long, ends it at once. Before it stops it serves on
 * for `drainSeconds`, and says that it is not ready: what shares the work among processes has noticed by then.
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
