/** Lists announced rate changes, with the cost of the last 30 days' usage under each. */
import { type Amount, amount } from '#kernel/money.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { type DatedVersion, type RatedCard, versionAt } from '../rates/rated-card.query.ts';
import { listCards } from '../rates/wanted-cards.query.ts';
import type { UpcomingRateChange } from '../resolvers.generated.ts';
import { groupPrices } from './group-price.ts';
import type { PricedGroup } from './priced-groups.query.ts';
import { readUsageByCard } from './usage-by-card.step.ts';

const AHEAD_DAYS = 366;
const CARDS_MAX = 100;

/** Sorted by date. Fails with `UNPROCESSABLE_ENTITY` if there is too much usage to sum. */
export async function listUpcomingRateChanges(context: SubgraphContext): Promise<UpcomingRateChange[]> {
  const organizationId = organizationOf(context);
  const at = now();
  const ahead = { from: new Date(at.getTime() + 1), before: new Date(at.getTime() + AHEAD_DAYS * DAY_MS) };
  return context.database.snapshot(organizationId, async (tx) => {
    const wanted = { organizationId, search: null, provider: null, isOwn: null, names: null, effective: ahead };
    const cards = await listCards(tx, wanted, { limit: CARDS_MAX, offset: 0 });
    if (cards.length === 0) return [];
    const models = cards.map(({ modelSlug }) => modelSlug);
    const groups = await readUsageByCard(tx, organizationId, models, at);
    return cards
      .flatMap((card) =>
        changesOf(card, at.getTime()).map((change) => rateChange(card, change, groups.get(card.id) ?? [])),
      )
      .toSorted((one, other) => (one.effectiveFrom < other.effectiveFrom ? -1 : 1));
  });
}

interface Change {
  readonly before: DatedVersion;
  readonly after: DatedVersion;
}

/** Each future version of the card, with the version before it. */
function changesOf(card: RatedCard, atMs: number): Change[] {
  return card.versions.flatMap((after) => {
    if (after.fromMs === null || after.fromMs <= atMs) return [];
    const before = versionAt(card, after.fromMs - 1);
    return before === null ? [] : [{ before, after }];
  });
}

/** Groups that token sums cannot price under both versions are left out of the amounts, and counted. */
function rateChange(card: RatedCard, { before, after }: Change, groups: readonly PricedGroup[]): UpcomingRateChange {
  const price = groupPrices();
  let [costBefore, costAfter, events, notPriced]: [Amount, Amount, number, number] = [amount('0'), amount('0'), 0, 0];
  for (const { tokens, pricingContext, aboveInputTokens, isPlain, events: count } of groups) {
    const by = { cardId: card.id, modelSlug: card.modelSlug, providerSlug: card.providerSlug };
    const context = { context: pricingContext, aboveInputTokens, events: count, unknownAtBase: true, isOwn: true };
    const [old, next] = [before, after].map(({ version }) => price({ ...by, version }, tokens, context));
    if (isPlain && typeof old === 'bigint' && typeof next === 'bigint') {
      [costBefore, costAfter, events] = [costBefore + old, costAfter + next, events + count];
    } else notPriced += count;
  }
  return {
    modelSlug: card.modelSlug,
    providerSlug: card.providerSlug,
    rateCardId: card.id,
    effectiveFrom: new Date(after.fromMs ?? 0).toISOString(),
    eventCount: events,
    notPricedCount: notPriced,
    costBefore,
    costAfter,
    difference: costAfter - costBefore,
  };
}
