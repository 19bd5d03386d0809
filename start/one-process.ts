/** `npm start`: the whole service in the foreground, until Ctrl-C or SIGTERM; with `--processes auto` on all cores. */
import { elapsedMilliseconds } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { firstRunFile, hasFirstRun } from './first-run.ts';
import { endWithoutDatabase, locateDatabases } from './locate-databases.ts';
import { runProcess } from './run-process.ts';
import { isWorker } from './workers/channel.ts';
import { settingsOfArguments } from './workers/worker-settings.ts';

await runProcess(async (config, _args, parts) => {
  if (isWorker) {
    const { startWorker } = await import('./workers/worker.ts');
    await startWorker(config, parts);
    return null;
  }
  const progress = (message: string) => void process.stderr.write(`${message}\n`);
  // PostgreSQL starts while the service's modules load, which takes about as long. Errors are reported once they are
  // loaded.
  const locating = Promise.withResolvers<unknown>();
  const servers = locateDatabases(SUBGRAPH_NAMES, config, {
    progress,
    onLost: endWithoutDatabase,
    onWait: () => locating.resolve(null),
  });
  servers.catch(locating.resolve);
  await locating.promise;
  if (config.processes > 1) {
    const { leadWorkers } = await import('./workers/lead-workers.ts');
    const running = await servers;
    parts.defer(() => running.close());
    await leadWorkers(config, parts);
  } else {
    const { startService } = await import('./start-service.ts');
    const service = await startService(config, { progress, servers });
    parts.defer(() => service.stop());
  }
  return describeStart(config);
}, settingsOfArguments);

function describeStart(config: Config): string {
  const workers = config.processes > 1 ? `, ${config.processes} processes` : '';
  return `
Ready in ${(elapsedMilliseconds() / 1000).toFixed(1)} s${workers}

  Dashboard  ${config.appUrl}
  API        ${config.apiOrigin}/v1
  Reference  ${config.apiOrigin}/docs
  GraphQL    ${config.apiOrigin}/graphql
  Health     ${config.apiOrigin}/readyz${
    hasFirstRun(config)
      ? `

  Sign in at ${config.appUrl}/sign-in as the owner: e-mail address, password and keys are in
    ${firstRunFile(config)}
  Another organization with an owner of its own:
    npm run -s admin -- organization create --name NAME --owner-email E-MAIL --owner-password PASSWORD

  Usage by OpenTelemetry, with a key that may write unsigned (npm run admin -- key unsigned):
    OTEL_EXPORTER_OTLP_ENDPOINT=${config.apiOrigin}/otlp
    OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer <API key>"
    OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`
      : ''
  }

  Fill it with 90 days of events: npm run demo
  Stop it: Ctrl-C
`;
}
