/** The service under a benchmark: one process on a free port, with its own `DATA_DIR` and raised limits. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from './child-process.ts';
import { temporaryDataDirectory } from './data-directory.ts';
import { freePort } from './free-port.ts';

/** The part of the first start's operator file that benchmarks need. */
interface FirstRun {
  readonly operator_token: string;
  readonly organization_id: string;
  readonly live_read_key: string;
  readonly live_ingest_key: string;
}

export interface Service {
  readonly url: string;
  readonly dataDirectory: string;
  /** The serving process. */
  readonly pid: number;
  readonly readyMilliseconds: number;
  readonly firstRun: FirstRun;
  readonly secret: string;
  stop(): Promise<void>;
}

const SETTINGS = {
  READ_RATE_LIMIT: '100000000;w=900',
  INGEST_RATE_LIMIT: '100000000;w=60',
  LOG_LEVEL: 'error',
};

/** The command behind `npm start`, without npm in between. It replaces itself with Node. */
const START = ['start/run', 'one-process'] as const;
const START_ACCEPTING = ['start/run', '../bench/ingest/accepting-service'] as const;

export interface StartOptions {
  /** If absent, a new directory is created, and removed when the service stops. */
  readonly dataDirectory?: string;
  /** Starts through npm, including everything that `npm start` itself costs. */
  readonly npmStart?: boolean;
  /** Default true. Without jobs, accepted events are not priced. */
  readonly runsJobs?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

export async function startService(options: StartOptions = {}): Promise<Service> {
  const temporary = options.dataDirectory === undefined ? temporaryDataDirectory() : null;
  const dataDirectory = options.dataDirectory ?? temporary?.path ?? '';
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = await startChild({
    command: options.npmStart ? ['npm', 'start'] : options.runsJobs === false ? START_ACCEPTING : START,
    settings: { ...SETTINGS, ...options.settings, PORT: String(port), DATA_DIR: dataDirectory },
    readyUrl: `${url}/readyz`,
  });
  return {
    url,
    dataDirectory,
    pid: child.pid,
    readyMilliseconds: child.readyMilliseconds,
    firstRun: JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8')) as FirstRun,
    secret: readFileSync(join(dataDirectory, 'service-secret'), 'utf8').trim(),
    async stop() {
      await child.stop();
      await temporary?.remove();
    },
  };
}
