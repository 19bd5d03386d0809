/** `books usage`: usage of a window. */
import { apiRead, defineRead } from '../define-read.ts';
import { rangeOfArgs } from '../resolve-window.ts';
import type { Row } from '../sheet.ts';
import { formatValue } from '../format-value.ts';

interface Usage {
  readonly period_start: string;
  readonly period_end: string;
  readonly total_events: number;
  readonly metrics: readonly Row[];
}

export const usage = defineRead({
  name: 'usage',
  summary: 'Usage by metric',
  toRead: (args, now) =>
    apiRead('/usage/summary', rangeOfArgs(args, now), (body: Usage) => ({
      facts: [
        ['From', body.period_start],
        ['To', body.period_end],
        ['Events', formatValue(body.total_events, 'count')],
      ],
      columns: [
        { name: 'metric_name', title: 'Metric', kind: 'text' },
        { name: 'total_quantity', title: 'Quantity', kind: 'count' },
        { name: 'event_count', title: 'Events', kind: 'count' },
      ],
      rows: body.metrics,
      remarks: [],
    })),
});
