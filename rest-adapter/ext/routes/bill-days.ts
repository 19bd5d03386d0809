import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { extRoute } from '../ext-route.ts';
import { object, text, WINDOW, windowOf } from '../body.ts';

const DOCUMENT = graphql(`query ExplainBill($start: Instant!, $end: Instant!, $connectionId: ID) {
  days: billDays(start: $start, end: $end, connectionId: $connectionId) {
    connection_id: connectionId
    source
    day
    last_day: lastDay
    state
    coverage
    currencies
    billed
    own
    difference
    unexplained
    unknown_currencies: unknownCurrencies
    is_unexplained: isUnexplained
    quantity_verdict: quantityVerdict
    amount_verdict: amountVerdict
    differences {
      model
      unit
      unknown_currency: unknownCurrency
      billed_quantity: billedQuantity
      own_quantity: ownQuantity
      billed
      own
      difference
      causes {
        cause
        amount
        detail
        token_class: tokenClass
        context
        scopes
        price_per_million: pricePerMillion
        percent
      }
      unexplained
      unread_names: unreadNames
      quantity_verdict: quantityVerdict
      amount_verdict: amountVerdict
    }
  }
}`);

const MEMBERS = { ...WINDOW, connection_id: text('Id of a bill connection: only its bills are compared.') };

/** `POST /ext/v1/bill-days`: compares bills with the books. */
export const billDays = extRoute({
  url: '/bill-days',
  operationId: 'explainBill',
  tool: 'explain_bill',
  tag: 'Bills',
  summary: "Differences between providers' bills and the books, with their causes",
  description:
    'One item per UTC day with a bill, at most 92 days. The causes of a difference and its unexplained part add up to it exactly.',
  scope: 'bills:read',
  orScope: 'costs:read',
  spends: 'read',
  errors: [],
  body: object(MEMBERS),
  document: DOCUMENT,
  at: [],
  answer: async ({ connection_id: connectionId, ...dates }, { gateway, principal }) =>
    askGateway(gateway, DOCUMENT, { ...windowOf(dates), connectionId }, principal),
  example: {
    body: { start_date: '2026-01-01', end_date: '2026-02-01' },
    response: {
      days: [
        {
          connection_id: '0199a1b2-7c00-7000-8000-00000000b111',
          source: 'openai.costs',
          day: '2026-01-15',
          last_day: '2026-01-15',
          state: 'SETTLED',
          coverage: '100',
          currencies: ['USD'],
          billed: '0.615',
          own: '0.315',
          difference: '0.3',
          unexplained: '0',
          unknown_currencies: [],
          is_unexplained: false,
          quantity_verdict: 'UNKNOWN',
          amount_verdict: 'EXPLAINED',
          differences: [
            {
              model: 'gpt-4o-mini',
              unit: null,
              unknown_currency: null,
              billed_quantity: null,
              own_quantity: '1650000',
              billed: '0.615',
              own: '0.315',
              difference: '0.3',
              causes: [
                {
                  cause: 'SILENT_SCOPE',
                  amount: '0.3',
                  detail: 'project:proj_b spends and does not report: 0.3',
                  token_class: null,
                  context: null,
                  scopes: ['project:proj_b'],
                  price_per_million: null,
                  percent: null,
                },
              ],
              unexplained: '0',
              unread_names: [],
              quantity_verdict: 'UNKNOWN',
              amount_verdict: 'EXPLAINED',
            },
          ],
        },
      ],
    },
  },
});
