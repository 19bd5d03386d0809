/** `/rates.csv`: all current prices of the cards of a view of `/rates`. */
import type { FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import { type CsvRow, sendCsv } from '../../http/send-csv.ts';

const CSV = graphql(`query RatesCsv($filter: RateCardFilter, $first: Int!, $after: String) {
  rateCards(filter: $filter, first: $first, after: $after) {
    nodes {
      rateCardId modelSlug providerSlug isNegotiated
      inForce {
        effectiveFrom unit prices { name price } tiers { aboveInputTokens prices { name price } }
        contexts { context class aboveInputTokens rate factor }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`);

type RatedCard = DataOf<'RatesCsv'>['rateCards']['nodes'][number];

const CSV_PAGE = 200;
const CSV_HEAD = [
  'rate_card_id',
  'model',
  'provider',
  'negotiated',
  'since',
  'unit',
  'for',
  'context',
  'above_input_tokens',
  'usd',
  'factor',
];

export function sendRatesCsv(
  reply: FastifyReply,
  {
    gateway,
    principal,
    filter,
  }: {
    readonly gateway: GatewayClient;
    readonly principal: Principal;
    readonly filter: NonNullable<VariablesOf<'RatesCsv'>['filter']>;
  },
): Promise<FastifyReply> {
  const rows = async function* (): AsyncGenerator<readonly CsvRow[]> {
    for (let after: string | null = null, isLast = false; !isLast;) {
      const variables: VariablesOf<'RatesCsv'> = { filter, first: CSV_PAGE, after };
      const { rateCards }: DataOf<'RatesCsv'> = await askGateway(gateway, CSV, variables, principal);
      yield rateCards.nodes.flatMap(csvRows);
      after = rateCards.pageInfo.endCursor;
      isLast = !rateCards.pageInfo.hasNextPage;
    }
  };
  return sendCsv(reply, 'rates', CSV_HEAD, rows());
}

/** One row per price; a card that is not in force has one row without a price. */
function csvRows({ rateCardId: id, modelSlug, providerSlug, isNegotiated, inForce }: RatedCard): CsvRow[] {
  const card = [id, modelSlug, providerSlug, isNegotiated ? 'yes' : 'no', inForce?.effectiveFrom ?? ''] as const;
  if (inForce === null) return [[...card, '', '', '', '', '', '']];
  const { unit, prices, tiers, contexts } = inForce;
  return [
    ...prices.map(({ name, price }) => [...card, unit, name, '', '', price, '']),
    ...tiers.flatMap(({ aboveInputTokens, prices: above }) =>
      above.map(({ name, price }) => [...card, unit, name, '', aboveInputTokens, price, '']),
    ),
    ...contexts.map(({ context, class: name, aboveInputTokens, rate, factor }) => [
      ...card,
      unit,
      name,
      context,
      aboveInputTokens > 0 ? aboveInputTokens : '',
      rate,
      factor,
    ]),
  ];
}
