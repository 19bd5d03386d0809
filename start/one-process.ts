/** `npm start`: the whole service in the foreground, until Ctrl-C or SIGTERM. */
import { elapsedMilliseconds } from '../platform/clock.ts';
import { firstRunFile, hasFirstRun } from './first-run.ts';
import { runProcess } from './run-process.ts';
import { startService } from './start-service.ts';

await runProcess(async (config, _args, parts) => {
  const service = await startService(config, { progress: (message) => void process.stderr.write(`${message}\n`) });
  parts.defer(() => service.stop());
  return `
Ready in ${(elapsedMilliseconds() / 1000).toFixed(1)} s

  API        ${config.apiOrigin}/v1
  GraphQL    ${config.apiOrigin}/graphql
  Health     ${config.apiOrigin}/readyz${
    hasFirstRun(config)
      ? `

  Keys and the owner's password are in ${firstRunFile(config)}

  Usage by OpenTelemetry, with a key that may write unsigned (npm run admin -- key unsigned):
    OTEL_EXPORTER_OTLP_ENDPOINT=${config.apiOrigin}/otlp
    OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer <API key>"
    OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`
      : ''
  }

  Fill it with 90 days of events: npm run demo
  Stop it: Ctrl-C
`;
});
