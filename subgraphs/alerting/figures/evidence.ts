/** Evidence of an episode at the time it was found. The page that it links to shows the same figures. */
import type { DetectedFigure } from '../detection/verdict.ts';

export interface Evidence {
  /** Plain text with the figures. */
  readonly sentence: string;
  readonly figures: readonly DetectedFigure[];
  /** ISO 8601 UTC. The figures' window, with fixed ends. */
  readonly windowStart: string;
  readonly windowEnd: string;
  /** Time at which the figures were read. */
  readonly computedAt: string;
  /** Document that reads the figures again, with its variables. */
  readonly query: { readonly document: string; readonly variables: Readonly<Record<string, unknown>> };
  /** Dashboard page with exactly this window and filter. */
  readonly path: string;
}
