/** Prometheus metrics of this process. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';

collectDefaultMetrics();

export const acceptedEvents = new Counter({ name: 'usage_events_accepted_total', help: 'Usage events accepted, resends included.' });
export const rejectedEvents = new Counter({ name: 'usage_events_rejected_total', help: 'Usage events rejected.', labelNames: ['code'] });
export const pricedEvents = new Counter({ name: 'usage_events_priced_total', help: 'Usage events that have had their turn, by the state they came to.', labelNames: ['status'] });
export const attributedFacts = new Counter({ name: 'cost_facts_attributed_total', help: 'Facts that attribution has applied.' });
export const requestSeconds = new Histogram({
  name: 'http_request_seconds', help: 'Duration of HTTP requests.', labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

/** A figure that is looked up when somebody reads the metrics. `null` leaves the last one; a second reader replaces the first. */
export function observedGauge(name: string, help: string, read: () => Promise<number | null>): void {
  register.removeSingleMetric(name);
  new Gauge({
    name, help,
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
