/** `npm start`: the whole service in the foreground, until Ctrl-C or SIGTERM. */
import { ConfigError, readConfig } from '../platform/config.ts';
import { elapsedMilliseconds } from '../platform/clock.ts';
import { firstRunFile, hasFirstRun } from './first-run.ts';
import { startService } from './start-service.ts';
import { stopOnSignals } from './stop-on-signals.ts';

try {
  const config = readConfig();
  const say = (message: string) => process.stderr.write(`${message}\n`);
  const service = await startService(config, { progress: say });
  stopOnSignals(() => service.stop());
  say(`
Ready in ${(elapsedMilliseconds() / 1000).toFixed(1)} s

  API        ${config.apiOrigin}/v1
  GraphQL    ${config.apiOrigin}/graphql
  Health     ${config.apiOrigin}/readyz${hasFirstRun(config) ? `

  Keys and the owner's password are in ${firstRunFile(config)}` : ''}

  Fill it with 90 days of events: npm run demo
  Stop it: Ctrl-C
`);
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : `The service could not start: ${(error as Error).stack}`}\n`);
  process.exit(1);
}
