/** Reads the rate cards of the models on a bill: prices by token class, pricing context and date. */
import { money, type Money, quantity } from '#kernel/money.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import type { TokenClass } from '#schema/token-classes.ts';
import type { KnownPrice } from '../comparison/own-charge.ts';
import { MILLION } from '../lines/decimals.ts';
import type { ReadGraph } from './graph-reader.step.ts';
import { tokenClassOf } from './token-class-of.ts';

const CARDS = graphql(`query PricesOfBill($provider: String, $models: [String!]!, $after: String) {
  rateCards(filter: { provider: $provider, models: $models }, first: 200, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes { modelSlug isNegotiated versions { effectiveFrom effectiveTo unit
      prices { name price } tiers { prices { name price } } contexts { context class rate factor aboveInputTokens } } }
  }
}`);

/** Maximum number of models in one request. */
const MODELS_MAX = 200;

/** Prices per token. Models have the names that the books use. */
export async function readKnownPrices(
  read: ReadGraph,
  provider: string,
  models: readonly string[],
): Promise<KnownPrice[]> {
  const prices: KnownPrice[] = [];
  for (let from = 0; from < models.length; from += MODELS_MAX) {
    const named = models.slice(from, from + MODELS_MAX);
    let after: string | null = null;
    do {
      const { rateCards }: DataOf<'PricesOfBill'> = await read(CARDS, { provider, models: named, after });
      prices.push(...rateCards.nodes.flatMap(pricesOfCard));
      after = rateCards.pageInfo.hasNextPage ? (rateCards.pageInfo.endCursor ?? null) : null;
    } while (after !== null);
  }
  return prices;
}

type Card = DataOf<'PricesOfBill'>['rateCards']['nodes'][number];

function pricesOfCard({ modelSlug, isNegotiated, versions }: Card): KnownPrice[] {
  return versions.flatMap((version) => {
    const span = { from: dayOf(version.effectiveFrom), until: dayOf(version.effectiveTo) };
    const base = new Map(pricesOf(version.prices));
    const price = (tokenClass: TokenClass, context: string, amount: Money): KnownPrice => ({
      model: modelSlug,
      tokenClass,
      context,
      perToken: amount.div(MILLION),
      ...span,
      isNegotiated,
    });
    return [
      ...[...base].map(([tokenClass, amount]) => price(tokenClass, '', amount)),
      ...version.tiers.flatMap((tier) =>
        pricesOf(tier.prices).map(([tokenClass, amount]) => price(tokenClass, 'size=long', amount)),
      ),
      ...version.contexts.flatMap(({ context, class: named, rate, factor }) => {
        const classes = named === 'all' ? [...base.keys()] : [tokenClassOf(named)].filter((one) => one !== null);
        return classes.flatMap((tokenClass) => {
          const standard = base.get(tokenClass);
          if (typeof rate === 'string') return [price(tokenClass, context, money(rate))];
          return standard === undefined || typeof factor !== 'string'
            ? []
            : [price(tokenClass, context, standard.times(quantity(factor)))];
        });
      }),
    ];
  });
}

function pricesOf(
  prices: readonly { readonly name: string; readonly price: string }[],
): (readonly [TokenClass, Money])[] {
  return prices.flatMap(({ name, price }) => {
    const tokenClass = tokenClassOf(name);
    return tokenClass === null ? [] : [[tokenClass, money(price)] as const];
  });
}

function dayOf(instant: string | null | undefined): string | null {
  return instant?.slice(0, 10) ?? null;
}
