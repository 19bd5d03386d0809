/** A sentence worth reading today. Every figure in it is one of the graph's, or a difference of two. */
import { dayInWords } from '../../../kernel/time/in-words.ts';
import type { GraphqlDocument } from '../../../schema/graphql.ts';
import type { DetectedFigure } from '../detection/verdict.ts';

export interface Insight {
  readonly kind: 'COST_CHANGE' | 'CUSTOMER_TURNED_UNPROFITABLE' | 'UNPRICED_MODEL' | 'CHEAPER_MODEL';
  readonly sentence: string;
  /** USD, exact text, never negative: what insights are ordered by. */
  readonly atStake: string;
  readonly figures: DetectedFigure[];
  /** Shows the figures again. */
  readonly query: { readonly document: string; readonly variables: Readonly<Record<string, unknown>> };
  /** The page of the dashboard that shows them. */
  readonly path: string;
}

/** Whole UTC days, that their pages and later reads show the same. */
export interface InsightWindow {
  readonly start: string;
  readonly end: string;
  /** As long, just before. */
  readonly previousStart: string;
  readonly days: number;
}

/** The parts of a window that figures are said of: `1 Nov to 20 Nov`, and `the 20 days before`. */
export function nameDays({ start, end, days }: InsightWindow): { readonly now: string; readonly before: string } {
  const last = dayInWords(new Date(Date.parse(end) - 1));
  const first = dayInWords(new Date(start));
  return {
    now: days === 1 ? `On ${last}` : `From ${first} to ${last}`,
    before: days === 1 ? 'the day before' : `the ${days} days before`,
  };
}

/** What a document was sent with. */
export function queryOf<Variables extends object>(
  document: GraphqlDocument<unknown, Variables>,
  variables: NoInfer<Variables>,
): Insight['query'] {
  return { document, variables: { ...variables } as Readonly<Record<string, unknown>> };
}
