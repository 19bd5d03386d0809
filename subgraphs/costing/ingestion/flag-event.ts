/** Which accepted events need a person's attention, and why (api-specification.md, "States"; decisions.md D7). */

const OLD_AFTER_MS = 24 * 60 * 60 * 1000;
const FUTURE_AFTER_MS = 60 * 1000;

export interface Flaggable {
  readonly eventTimeMs: number;
  readonly nowMs: number;
  /** Whether this event lies past the plan's soft limit (decisions.md D12). */
  readonly isPastSoftLimit: boolean;
  /** Whether a rate card matches or the caller gave the cost. */
  readonly hasPrice: boolean;
}

/** The `flag_reason`: all causes, joined by `,` in a fixed order; `null` when there is none. */
export function flagEvent({ eventTimeMs, nowMs, isPastSoftLimit, hasPrice }: Flaggable): string | null {
  const reasons: string[] = [];
  if (nowMs - eventTimeMs > OLD_AFTER_MS) reasons.push('timestamp_too_old');
  if (eventTimeMs - nowMs > FUTURE_AFTER_MS) reasons.push('timestamp_in_future');
  if (isPastSoftLimit) reasons.push('quota_soft_limit');
  if (!hasPrice) reasons.push('no_rate_card');
  return reasons.length === 0 ? null : reasons.join(',');
}
