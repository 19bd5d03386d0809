/** What an episode rests on, as it was when it was found: the page that it links to shows the same figures. */
import type { DetectedFigure } from '../detection/verdict.ts';

export interface Evidence {
  /** In plain words, with the figures. */
  readonly sentence: string;
  readonly figures: readonly DetectedFigure[];
  /** ISO 8601 UTC, fixed: the window of the figures. */
  readonly windowStart: string;
  readonly windowEnd: string;
  /** When they were read. */
  readonly computedAt: string;
  /** The document that reads them again, with its variables. */
  readonly query: { readonly document: string; readonly variables: Readonly<Record<string, unknown>> };
  /** Page of the dashboard with exactly this window and filter. */
  readonly path: string;
}
