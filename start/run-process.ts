/** What every process of this service shares: settings, port, its parts; on a signal or an error they stop in reverse order. */
import { type Config, ConfigError, readConfig } from '../platform/config.ts';
import { StartError } from '../platform/start-error.ts';
import { requireFreePort } from './listen-on.ts';
import { stopOnSignals } from './stop-on-signals.ts';

/** A start that failed waits so long for its parts to stop: a step of a job, the database's shutdown. */
const STOP_MILLISECONDS_MAX = 10_000;

/** `start` puts what stops a part on the stack as soon as it has started it, and returns what to print when all run. */
export async function runProcess(
  start: (config: Config, args: readonly string[], parts: AsyncDisposableStack) => Promise<string>,
): Promise<void> {
  const parts = new AsyncDisposableStack();
  try {
    const config = readConfig();
    await requireFreePort(config);
    const ready = await start(config, process.argv.slice(2), parts);
    stopOnSignals(() => parts.disposeAsync());
    process.stderr.write(`${ready}\n`);
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    setTimeout(() => process.exit(1), STOP_MILLISECONDS_MAX);
    await parts
      .disposeAsync()
      .catch((failure: unknown) => process.stderr.write(`Not stopped cleanly: ${(failure as Error).message}\n`));
    process.exit(1);
  }
}

function describe(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartError) return error.message;
  return `The service could not start: ${(error as Error).stack}`;
}

export function requiredUrl({ gatewayUrl }: Config, name: 'GATEWAY_URL'): string {
  if (gatewayUrl === null) throw new ConfigError([`${name} is required when processes are separate`]);
  return gatewayUrl;
}
