/** Settings for running a process: operations port, traces, draining, pool sizes. */
import { availableParallelism } from 'node:os';
import { z } from 'zod';

export interface OperationsConfig {
  /** Address for liveness, readiness and metrics. */
  readonly operationsHost: string;
  /** `null`: the service's port plus 1000, if it is free. */
  readonly operationsPort: number | null;
  /**
   * Seconds between the stop signal and closing the port; in this time `/readyz` returns 503 and requests are still
   * served.
   */
  readonly drainSeconds: number;
  /** Workers of the one-process service, on its port. */
  readonly processes: number;
  /** Connections of this process to each database. */
  readonly databasePools: DatabasePools;
  readonly traces: TraceSettings;
}

/** `OTEL_*` settings; the exporter itself reads endpoints and headers. */
export interface TraceSettings {
  readonly isOn: boolean;
  readonly serviceName: string | null;
  readonly sampler: (typeof SAMPLERS)[number];
  readonly ratio: number;
  /** Milliseconds between two exports. */
  readonly exportMilliseconds: number;
}

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface DatabasePools {
  readonly write: number;
  readonly read: number;
}

export const DATABASE_POOLS: DatabasePools = { write: 16, read: 8 };

/** A whole number in digits. */
export function wholeNumber(least: number, most: number, message = `must be a number from ${least} to ${most}`) {
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((number) => number >= least && number <= most, message);
}

export const portNumber = wholeNumber(0, 65_535, 'must be a port number');

const PROCESSES_MAX = 64;
const PROCESSES_MESSAGE = `must be auto, or a number from 1 to ${PROCESSES_MAX}`;
const processes = z
  .string()
  .transform((text) => (text === 'auto' ? String(Math.min(availableParallelism(), PROCESSES_MAX)) : text))
  .pipe(wholeNumber(1, PROCESSES_MAX, PROCESSES_MESSAGE));

export const operationsSettings = {
  PROCESSES: processes.default(1),
  OPERATIONS_HOST: z.string().min(1).default('127.0.0.1'),
  OPERATIONS_PORT: portNumber.optional(),
  DRAIN_SECONDS: wholeNumber(0, 300).default(0),
  DATABASE_WRITE_CONNECTIONS: wholeNumber(4, 200).default(DATABASE_POOLS.write),
  DATABASE_READ_CONNECTIONS: wholeNumber(2, 200).default(DATABASE_POOLS.read),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, 'must be a ratio from 0 to 1')
    .transform(Number)
    .default(1),
  OTEL_BSP_SCHEDULE_DELAY: wholeNumber(1, 600_000).default(5_000),
};

type Settings = z.infer<z.ZodObject<typeof operationsSettings>>;

export function toOperationsConfig(settings: Settings): OperationsConfig {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_TRACES_EXPORTER } = settings;
  const hasEndpoint = (OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? OTEL_EXPORTER_OTLP_ENDPOINT) !== undefined;
  return {
    operationsHost: settings.OPERATIONS_HOST,
    operationsPort: settings.OPERATIONS_PORT ?? null,
    drainSeconds: settings.DRAIN_SECONDS,
    processes: settings.PROCESSES,
    databasePools: { write: settings.DATABASE_WRITE_CONNECTIONS, read: settings.DATABASE_READ_CONNECTIONS },
    traces: {
      isOn: OTEL_TRACES_EXPORTER === undefined ? hasEndpoint : OTEL_TRACES_EXPORTER === 'otlp',
      serviceName: settings.OTEL_SERVICE_NAME ?? null,
      sampler: settings.OTEL_TRACES_SAMPLER,
      ratio: settings.OTEL_TRACES_SAMPLER_ARG,
      exportMilliseconds: settings.OTEL_BSP_SCHEDULE_DELAY,
    },
  };
}
