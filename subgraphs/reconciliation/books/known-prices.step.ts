/** Reads the prices of the cards that price the models of a bill: by class, context and date. */
import { money, type Money } from '#kernel/money.ts';
import { graphql } from '#schema/graphql.ts';
import { TOKEN_CLASS_NAMES, type TokenClass, wireName } from '#schema/token-classes.ts';
import type { KnownPrice } from '../comparison/own-charge.ts';
import type { ReadGraph } from './graph-reader.step.ts';

const CARDS = graphql(`query PricesOfBill($provider: String, $models: [String!]!) {
  rateCards(filter: { provider: $provider, models: $models }, first: 200) {
    nodes { modelSlug versions { effectiveFrom effectiveTo unit
      prices { name price } tiers { prices { name price } } contexts { context class rate factor aboveInputTokens } } }
  }
}`);

const MODELS_MAX = 200;
const MILLION = money('1000000');

const CLASSES: Readonly<Record<string, TokenClass>> = Object.fromEntries(
  TOKEN_CLASS_NAMES.flatMap((name) => [
    [name, name],
    [wireName(name), name],
  ]),
);

/** Prices per token of the given models, as the books name them. */
export async function readKnownPrices(
  read: ReadGraph,
  provider: string,
  models: readonly string[],
): Promise<KnownPrice[]> {
  if (models.length === 0) return [];
  const { rateCards } = await read(CARDS, { provider, models: models.slice(0, MODELS_MAX) });
  return rateCards.nodes.flatMap(({ modelSlug, versions }) =>
    versions.flatMap((version) => {
      const span = { from: dayOf(version.effectiveFrom), until: dayOf(version.effectiveTo) };
      const base = new Map(pricesOf(version.prices));
      const price = (tokenClass: TokenClass, context: string, amount: Money): KnownPrice => ({
        model: modelSlug,
        tokenClass,
        context,
        perToken: amount.div(MILLION),
        ...span,
      });
      return [
        ...[...base].map(([tokenClass, amount]) => price(tokenClass, '', amount)),
        ...version.tiers.flatMap((tier) =>
          pricesOf(tier.prices).map(([tokenClass, amount]) => price(tokenClass, 'size=long', amount)),
        ),
        ...version.contexts.flatMap(({ context, class: named, rate, factor }) => {
          const classes = named === 'all' ? [...base.keys()] : [CLASSES[named]].filter((one) => one !== undefined);
          return classes.flatMap((tokenClass) => {
            const standard = base.get(tokenClass);
            if (typeof rate === 'string') return [price(tokenClass, context, money(rate))];
            return standard === undefined || typeof factor !== 'string'
              ? []
              : [price(tokenClass, context, standard.times(money(factor)))];
          });
        }),
      ];
    }),
  );
}

function pricesOf(
  prices: readonly { readonly name: string; readonly price: string }[],
): (readonly [TokenClass, Money])[] {
  return prices.flatMap(({ name, price }) => {
    const tokenClass = CLASSES[name];
    return tokenClass === undefined ? [] : [[tokenClass, money(price)] as const];
  });
}

function dayOf(instant: string | null | undefined): string | null {
  return instant?.slice(0, 10) ?? null;
}
