/** Prometheus metrics of this process; docs/operations/metrics.md explains each. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';
import { elapsedMilliseconds } from './clock.ts';

collectDefaultMetrics();

/** A counter. If the values of its label are given, it starts at zero for each. */
export function counter<Label extends string = never>(
  name: `books_${string}_total`,
  help: string,
  labelNames: readonly Label[] = [],
  values: readonly string[] = [],
): Counter<Label> {
  const made = new Counter({ name, help, labelNames });
  const [label] = labelNames;
  if (label !== undefined) for (const value of values) made.inc({ [label]: value } as Record<Label, string>, 0);
  return made;
}

export const requestSeconds = new Histogram({
  name: 'books_http_request_duration_seconds',
  help: 'Duration of HTTP requests, from their headers to the end of the response.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

const REFUSAL_REASONS = [
  'rate_limit',
  'body_too_large',
  'bodies_under_way',
  'answers_unread',
  'exports_running',
  'fair_share',
  'connections_of_address',
  'graph_complexity',
] as const;

const refused = counter(
  'books_refusals_total',
  'Requests refused to protect the service, by the limit that was reached.',
  ['reason'],
  REFUSAL_REASONS,
);

/** Requests refused by a limit. */
export function recordRefusal(reason: (typeof REFUSAL_REASONS)[number]): void {
  refused.inc({ reason });
}

/** A value of a gauge, with its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Figures {
  readonly name: `books_${string}`;
  readonly help: string;
  readonly labels: readonly string[];
  /**
   * Several readers can contribute samples to one gauge, for example one per database. A second reader with the same
   * key replaces the first.
   */
  readonly key?: string;
  /** Minimum interval between look-ups of an expensive figure. */
  readonly freshSeconds?: number;
  /**
   * How the values of several workers are combined. Default `max`: each worker reads the value for the whole service.
   */
  readonly ofWorkers?: 'sum' | 'min' | 'max';
}

const readersOf = new Map<string, Map<string, () => Promise<readonly Sample[]>>>();

/** Gauges read when metrics are scraped, until the returned function is called. `null` keeps the last values. */
export function observedGauges(
  { name, help, labels, key = '', freshSeconds = 0, ofWorkers = 'max' }: Figures,
  read: () => Promise<readonly Sample[] | null>,
): () => void {
  let latest: readonly Sample[] = [];
  let readAt: number | null = null;
  const refresh = async () => {
    if (readAt !== null && elapsedMilliseconds() - readAt < freshSeconds * 1_000) return latest;
    readAt = elapsedMilliseconds();
    return (latest = (await read().catch(() => null)) ?? latest);
  };
  const known = readersOf.get(name);
  const readers = known ?? new Map<string, typeof refresh>();
  readers.set(key, refresh);
  const end = () => {
    if (readers.get(key) === refresh) readers.delete(key);
  };
  if (known) return end;
  readersOf.set(name, readers);
  new Gauge({
    name,
    help,
    labelNames: labels,
    aggregator: ofWorkers,
    async collect() {
      const samples = (await Promise.all([...readers.values()].map((reader) => reader()))).flat();
      this.reset();
      for (const sample of samples) this.set(sample.labels, sample.value);
    },
  });
  return end;
}

/** A gauge without labels. */
export function observedGauge(
  name: `books_${string}`,
  help: string,
  read: () => Promise<number | null>,
  freshSeconds = 0,
): void {
  observedGauges({ name, help, labels: [], freshSeconds }, async () => {
    const value = await read();
    return value === null ? null : [{ labels: {}, value }];
  });
}

/** The body of `/metrics`. */
export function printMetrics(): Promise<string> {
  return register.metrics();
}

export const METRICS_CONTENT_TYPE = register.contentType;
