/**
 * Compares prices published by others with the standard rate cards, and computes the value of each difference at the
 * usage of the last 30 days.
 */
import { money } from '#kernel/money.ts';
import { now } from '#platform/clock.ts';
import { statement } from '#platform/database/statement.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { requireGrant } from '#platform/subgraph/require-grant.ts';
import { fail } from '#kernel/errors.ts';
import { TOKEN_CLASS_NAMES, type TokenClass, wireName } from '#schema/token-classes.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { canonicalProvider } from '#usage/names/canonical-provider.ts';
import { knownProviders } from '../rates/matching/prefix-cards.query.ts';
import { findCardsByName, versionAt } from '../rates/rated-card.query.ts';
import type { CatalogueCheck, PriceDifference, PublishedPrice } from '../resolvers.generated.ts';
import {
  compareRates,
  type PricedCard,
  type PublishedRates,
  type RateDifference,
  toPriceDifference,
  usageBySize,
  type UsageAtSize,
} from './compare-prices.ts';
import { readUsageByCard, usageStart } from './usage-by-card.step.ts';

const RATES_MAX = 20_000;
const RATE = /^\d{1,9}(\.\d{1,15})?$/;
const CLASSES: ReadonlyMap<string, TokenClass> = new Map(TOKEN_CLASS_NAMES.map((name) => [wireName(name), name]));

/**
 * Uses the usage of the operator's organization, or of all if none is chosen. Fails with `VALIDATION_ERROR` for an
 * invalid price.
 */
export async function checkCatalogue(
  context: SubgraphContext,
  prices: readonly PublishedPrice[],
): Promise<CatalogueCheck> {
  requireGrant(context, ['operator']);
  const published = parsePrices(prices);
  const at = now();
  const cards = await findPricedCards(context, published, at);
  let compared = 0;
  const differences: RateDifference[] = [];
  for (const [index, price] of published.entries()) {
    const card = cards[index];
    const comparison = card && compareRates(price, card);
    compared += comparison?.compared ?? 0;
    differences.push(...(comparison?.differences ?? []));
  }
  const usage = await readUsage(context, differences, at);
  const sizes = Map.groupBy(published, keyOf);
  return {
    compared,
    notCompared: published.reduce((sum, { rates }) => sum + rates.size, 0) - compared,
    differences: differences
      .map((one) => {
        const sizesOf = (sizes.get(keyOf(one.published)) ?? []).map(({ aboveInputTokens }) => aboveInputTokens);
        return toPriceDifference(one, usage.get(one.priced.card.id) ?? [], sizesOf);
      })
      .toSorted(largestFirst),
  };
}

function parsePrices(prices: readonly PublishedPrice[]): PublishedRates[] {
  const count = prices.reduce((sum, { rates }) => sum + rates.length, 0);
  if (count > RATES_MAX) fail('VALIDATION_ERROR', `prices can have at most ${RATES_MAX} rates, not ${count}`);
  return prices.map(({ rates, context, aboveInputTokens, ...price }) => ({
    ...price,
    context,
    aboveInputTokens: Number.isSafeInteger(aboveInputTokens) && aboveInputTokens >= 0 ? aboveInputTokens : noSize(),
    rates: new Map(
      rates.map(({ class: name, rate }) => {
        const tokenClass = CLASSES.get(name) ?? fail('VALIDATION_ERROR', `Unknown class ${JSON.stringify(name)}`);
        if (!RATE.test(rate))
          fail('VALIDATION_ERROR', `rate must be a decimal, 0 or more, not ${JSON.stringify(rate)}`);
        return [tokenClass, money(rate)] as const;
      }),
    ),
  }));
}

function noSize(): never {
  return fail('VALIDATION_ERROR', 'aboveInputTokens must be a whole number, 0 or more');
}

function keyOf({ provider, model, context }: PublishedRates): string {
  return JSON.stringify([provider, model, context]);
}

/**
 * The standard card of the same provider with exactly this name, for each price. A similar name may refer to another
 * model.
 */
async function findPricedCards(
  { database }: SubgraphContext,
  published: readonly PublishedRates[],
  at: Date,
): Promise<(PricedCard | undefined)[]> {
  const names = [...new Set(published.map(({ model }) => model.toLowerCase()))];
  return database.write(GLOBAL_TENANT, async (tx) => {
    const providers = await knownProviders(tx, GLOBAL_TENANT);
    const byName = new Map<string, PricedCard>();
    for (const card of await findCardsByName(tx, GLOBAL_TENANT, names)) {
      const inForce = versionAt(card, at.getTime());
      if (inForce === null) continue;
      for (const name of card.names) {
        const key = `${card.providerSlug ?? ''} ${name}`;
        // A price set by an operator takes precedence over the catalogue.
        if (card.matchKind === 'prefix' || !byName.has(key)) byName.set(key, { card, version: inForce.version });
      }
    }
    return published.map(({ provider, model }) =>
      byName.get(`${canonicalProvider(provider, providers) ?? ''} ${model.toLowerCase()}`),
    );
  });
}

const LIST_ACTIVE = statement<{ id: string }, { readonly since: ReturnType<typeof usageStart> }>(
  'select distinct organization_id::text as id from cost_hour where hour >= :since',
);

/** Usage by the id of the card. */
async function readUsage(
  { database, principal }: SubgraphContext,
  differences: readonly RateDifference[],
  at: Date,
): Promise<ReadonlyMap<string, UsageAtSize[]>> {
  const usage = new Map<string, UsageAtSize[]>();
  const models = [...new Set(differences.map(({ priced }) => priced.card.modelSlug))];
  if (models.length === 0) return usage;
  const organizationIds =
    principal.organizationId === null
      ? (await database.system((tx) => tx.all(LIST_ACTIVE, { since: usageStart(at) }))).map(({ id }) => id)
      : [principal.organizationId];
  for (const organizationId of organizationIds) {
    const byCard = await database.snapshot(organizationId, (tx) => readUsageByCard(tx, organizationId, models, at));
    for (const [card, groups] of byCard) usage.set(card, [...(usage.get(card) ?? []), ...usageBySize(groups)]);
  }
  return usage;
}

function largestFirst(one: PriceDifference, other: PriceDifference): number {
  const size = ({ amountAtStake }: PriceDifference) => {
    const stake = amountAtStake as bigint;
    return stake < 0n ? -stake : stake;
  };
  const [first, second] = [size(one), size(other)];
  if (first !== second) return first > second ? -1 : 1;
  return one.model < other.model ? -1 : Number(one.model > other.model);
}
