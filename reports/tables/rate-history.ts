import { type DataOf, graphql } from '#schema/graphql.ts';
import { readPages } from '../read-pages.ts';
import { defineReport } from '../report-table.ts';

const RATES = graphql(`query ReportedRates($first: Int!, $after: String) {
  rateCards(first: $first, after: $after) {
    nodes {
      rateCardId modelSlug providerSlug isNegotiated
      versions {
        id effectiveFrom effectiveTo unit prices { name price } tiers { aboveInputTokens prices { name price } }
        contexts { context class aboveInputTokens rate factor source }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`);

type Card = DataOf<'ReportedRates'>['rateCards']['nodes'][number];
type Version = Card['versions'][number];

const PAGE = 50;

/** Prices of models over time: `rateCards { versions }`. */
export const rateHistory = defineReport({
  name: 'rate_history',
  title: 'Rates',
  version: 1,
  scope: 'costs:read',
  about: "Prices in force at any time during the period: the organization's own rates and the catalogue's rates.",
  grains: ['sku'],
  key: ['rate_card_version_id', 'class', 'context', 'above_input_tokens'],
  columns: {
    rate_card_id: { type: 'text', about: 'Id of the rate card.' },
    rate_card_version_id: { type: 'text', about: 'Id of the version, as in cost explanations.' },
    model: {
      type: 'text',
      about: 'Slug of the model. For a rate card added by hand: the prefix of the model names that it prices.',
    },
    provider: {
      type: 'text',
      isNullable: true,
      about: "The provider's slug; empty if the rate card applies to every provider.",
    },
    negotiated: {
      type: 'boolean',
      about: "True for the organization's own rate, which takes precedence over the catalogue's.",
    },
    effective_from: {
      type: 'instant',
      isNullable: true,
      about: 'When the price takes effect, inclusive; empty if it has no start.',
    },
    effective_to: {
      type: 'instant',
      isNullable: true,
      about: 'When the price ends, exclusive; empty if it has no end.',
    },
    unit: { type: 'text', about: 'Unit of the prices, for example `per million tokens`.' },
    class: { type: 'text', about: 'Token class, `all`, `unit`, or the name of a unit.' },
    context: { type: 'text', about: 'The pricing context, such as `tier=batch`; empty for the standard price.' },
    above_input_tokens: {
      type: 'integer',
      about: 'The price applies above this number of input tokens; 0 if it applies to any number.',
    },
    price: { type: 'decimal', isNullable: true, unit: 'USD', about: 'The price; empty if `factor` is set.' },
    factor: { type: 'decimal', isNullable: true, about: 'Multiplier of the standard price; empty if `price` is set.' },
    source: { type: 'text', isNullable: true, about: 'Where the price for the pricing context is published.' },
  },
  example: {
    rate_card_id: '019b7a3c-52d1-7c40-9d3b-6f1f0f5f7a10',
    rate_card_version_id: '019b7a3c-52d1-7c40-9d3b-6f1f0f5f7a11',
    model: 'gpt-4o',
    provider: 'openai',
    negotiated: false,
    effective_from: null,
    effective_to: null,
    unit: 'per million tokens',
    class: 'input',
    context: '',
    above_input_tokens: 0,
    price: '2.5',
    factor: null,
    source: null,
  },
  async *rows({ ask, period }) {
    const cards = readPages(async (after) => (await ask(RATES, { first: PAGE, after })).rateCards);
    const [start, end] = [Date.parse(period.start), Date.parse(period.end)];
    const isInForce = ({ effectiveFrom, effectiveTo }: Version) =>
      (effectiveFrom === null || Date.parse(effectiveFrom) < end) &&
      (effectiveTo === null || Date.parse(effectiveTo) > start);
    for await (const nodes of cards)
      yield nodes.flatMap((card) => card.versions.filter(isInForce).flatMap((version) => rowsOf(card, version)));
  },
});

function rowsOf({ rateCardId, modelSlug, providerSlug, isNegotiated }: Card, version: Version) {
  const { id, effectiveFrom, effectiveTo, unit, prices, tiers, contexts } = version;
  const row = (price: {
    readonly class: string;
    readonly context?: string;
    readonly aboveInputTokens: number;
    readonly price: string | null;
    readonly factor?: string | null;
    readonly source?: string;
  }) => ({
    rate_card_id: rateCardId,
    rate_card_version_id: id,
    model: modelSlug,
    provider: providerSlug,
    negotiated: isNegotiated,
    effective_from: effectiveFrom,
    effective_to: effectiveTo,
    unit,
    class: price.class,
    context: price.context ?? '',
    above_input_tokens: price.aboveInputTokens,
    price: price.price,
    factor: price.factor ?? null,
    source: price.source ?? null,
  });
  return [
    ...prices.map(({ name, price }) => row({ class: name, aboveInputTokens: 0, price })),
    ...tiers.flatMap(({ aboveInputTokens, prices: above }) =>
      above.map(({ name, price }) => row({ class: name, aboveInputTokens, price })),
    ),
    ...contexts.map(({ rate, ...context }) => row({ ...context, price: rate })),
  ];
}
