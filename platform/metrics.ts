/** Prometheus metrics of this process. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';

collectDefaultMetrics();

/** Counts what a part of the service says that it counts. */
export function counter<Label extends string = never>(
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
): Counter<Label> {
  return new Counter({ name, help, labelNames });
}

export const requestSeconds = new Histogram({
  name: 'http_request_seconds',
  help: 'Duration of HTTP requests.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

/** A figure that is looked up when somebody reads the metrics. `null` leaves the last one; a second reader replaces the first. */
export function observedGauge(name: string, help: string, read: () => Promise<number | null>): void {
  register.removeSingleMetric(name);
  new Gauge({
    name,
    help,
    async collect() {
      const value = await read();
      if (value !== null) this.set(value);
    },
  });
}

/** The text that `/metrics` answers. */
export function printMetrics(): Promise<string> {
  return register.metrics();
}

export const METRICS_CONTENT_TYPE = register.contentType;
