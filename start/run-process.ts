/** What the separate processes share: settings first, then run, then stop on a signal. */
import { type Config, ConfigError, readConfig } from '../platform/config.ts';
import { stopOnSignals } from './stop-on-signals.ts';

export interface RunningProcess {
  readonly ready: string;
  stop(): Promise<void>;
}

export async function runProcess(start: (config: Config, words: readonly string[]) => Promise<RunningProcess>): Promise<void> {
  try {
    const running = await start(readConfig(), process.argv.slice(2));
    stopOnSignals(running.stop);
    process.stderr.write(`${running.ready}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigError ? error.message : `Could not start: ${(error as Error).message}`}\n`);
    process.exit(1);
  }
}

export function requiredUrl({ gatewayUrl }: Config, name: 'GATEWAY_URL'): string {
  if (gatewayUrl === null) throw new ConfigError([`${name} is required when processes are separate`]);
  return gatewayUrl;
}
