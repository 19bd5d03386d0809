/** A sentence worth reading today. Each of its figures is from the graph, or the difference between two. */
import { dayInWords } from '#kernel/time/in-words.ts';
import type { GraphqlDocument } from '#schema/graphql.ts';
import type { DetectedFigure } from '../detection/verdict.ts';

export interface Insight {
  readonly kind: 'COST_CHANGE' | 'CUSTOMER_TURNED_UNPROFITABLE' | 'UNPRICED_MODEL' | 'CHEAPER_MODEL';
  readonly sentence: string;
  /** USD as exact text, never negative. Insights are ordered by it. */
  readonly atStake: string;
  readonly figures: DetectedFigure[];
  /** Document that reads the figures again. */
  readonly query: { readonly document: string; readonly variables: Readonly<Record<string, unknown>> };
  /** Dashboard page that shows the figures. */
  readonly path: string;
}

/** Whole UTC days, so that pages and later reads show the same figures. */
export interface InsightWindow {
  readonly start: string;
  readonly end: string;
  /** The compared window (`usualComparison`): the same days of the month before, or the same number of days just before. */
  readonly previousStart: string;
  readonly previousEnd: string;
  readonly days: number;
}

/** Names of both windows for sentences, for example `From 1 Nov to 20 Nov` and `the 20 days before`. */
export function nameDays({ start, end, previousStart, previousEnd, days }: InsightWindow): {
  readonly now: string;
  readonly before: string;
} {
  const last = dayInWords(new Date(Date.parse(end) - 1));
  const first = dayInWords(new Date(start));
  return {
    now: days === 1 ? `On ${last}` : `From ${first} to ${last}`,
    before:
      previousEnd !== start
        ? `${dayInWords(new Date(previousStart))} to ${dayInWords(new Date(Date.parse(previousEnd) - 1))}`
        : days === 1
          ? 'the day before'
          : `the ${days} days before`,
  };
}

/** A document with the variables it was sent with. */
export function queryOf<Variables extends object>(
  document: GraphqlDocument<unknown, Variables>,
  variables: NoInfer<Variables>,
): Insight['query'] {
  return { document, variables: { ...variables } as Readonly<Record<string, unknown>> };
}
