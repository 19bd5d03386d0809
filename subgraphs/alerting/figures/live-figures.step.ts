/** Figures judged every minute, in one document: unpriced events, credits, the payment connection and the catalogue. */
import { type DataOf, graphql } from '#schema/graphql.ts';
import type { ReadGraph } from './graph-reader.step.ts';

/** Only the counts: details are read if there are unpriced events. */
export const LIVE =
  graphql(`query AlertLiveFigures($unpriced: Boolean!, $credits: Boolean!, $connection: Boolean!, $catalogue: Boolean!) {
  costSummary(timeWindow: LAST_90_DAYS) @include(if: $unpriced) { statusCounts { pending failed pendingRateCard } }
  credits @include(if: $credits) { allotment allotmentLeft packsLeft creditsLeft renewsAt }
  catalogue @include(if: $catalogue) { source publishedAt }
  revenueConnection @include(if: $connection) { state error lastSyncAt nextSyncAt }
}`);
export const UNPRICED = graphql(`query AlertUnpriced {
  costingHealth(days: 1) { unpriced { cause provider model reason events firstAt lastAt } }
}`);

export interface LiveFigures {
  readonly credits: DataOf<'AlertLiveFigures'>['credits'] | null;
  readonly connection: DataOf<'AlertLiveFigures'>['revenueConnection'] | null;
  readonly catalogue: DataOf<'AlertLiveFigures'>['catalogue'] | null;
  /** Unpriced events, by provider and model. */
  readonly unpriced: readonly UnpricedModel[];
}

export interface UnpricedModel {
  readonly provider: string | null;
  readonly model: string;
  readonly reasons: readonly string[];
  readonly events: number;
  /** Times of the first and last of these events. */
  readonly firstAt: string;
  readonly lastAt: string;
}

/** Reads only the figures in `wanted`; the others are null or empty. */
export async function readLiveFigures(
  read: ReadGraph,
  wanted: {
    readonly unpriced: boolean;
    readonly credits: boolean;
    readonly connection: boolean;
    readonly catalogue: boolean;
  },
): Promise<LiveFigures> {
  const { costSummary, credits, revenueConnection, catalogue } = await read(LIVE, wanted);
  const counts = costSummary?.statusCounts;
  const isUnpriced = counts !== undefined && counts.failed + counts.pendingRateCard > 0;
  const unpriced = isUnpriced ? (await read(UNPRICED, {})).costingHealth.unpriced : [];
  return {
    credits: credits ?? null,
    connection: revenueConnection ?? null,
    catalogue: catalogue ?? null,
    unpriced: byModel(unpriced),
  };
}

function byModel(groups: DataOf<'AlertUnpriced'>['costingHealth']['unpriced']): UnpricedModel[] {
  const models = new Map<string, UnpricedModel>();
  for (const { provider, model, reason, events, firstAt, lastAt } of groups) {
    const key = JSON.stringify([provider, model]);
    const known = models.get(key) ?? { provider, model, reasons: [], events: 0, firstAt, lastAt };
    models.set(key, {
      ...known,
      reasons: [...new Set([...known.reasons, reason])],
      events: known.events + events,
      firstAt: known.firstAt < firstAt ? known.firstAt : firstAt,
      lastAt: known.lastAt > lastAt ? known.lastAt : lastAt,
    });
  }
  return [...models.values()];
}
