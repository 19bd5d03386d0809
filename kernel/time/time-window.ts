/** The named time windows of the cost summary (api-specification.md, "Cost data"). What they mean is costing's rule. */

/** The first is the default. */
export const TIME_WINDOWS = [
  'current-period',
  'last-period',
  'last-7-days',
  'last-30-days',
  'last-90-days',
  'ytd',
  'last-year',
] as const;

export type TimeWindow = (typeof TIME_WINDOWS)[number];

export function isTimeWindow(value: unknown): value is TimeWindow {
  return (TIME_WINDOWS as readonly unknown[]).includes(value);
}
