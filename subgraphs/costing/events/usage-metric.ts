/** The only metric that ingested events have (contract.md, "Stored usage event"). */

export const METRIC_NAME = 'tokens';

export const EVENT_TYPE = 'ai.inference';

/** True if a filter by metric includes ingested events; the match is exact. */
export function matchesMetric(metricName: string | null | undefined): boolean {
  return metricName === undefined || metricName === null || metricName === METRIC_NAME;
}
