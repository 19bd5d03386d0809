import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { extRoute } from '../ext-route.ts';
import { object, WINDOW, windowOf } from '../body.ts';

const DOCUMENT = graphql(`query SavingsOfWindow($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) {
    start
    end
    savings {
      list
      contracted
      savings
      lines { provider agreement list contracted savings }
    }
  }
}`);

/** `POST /ext/v1/savings`: costs at list prices and as contracted. */
export const savings = extRoute({
  url: '/savings',
  operationId: 'getSavings',
  tool: 'get_savings',
  tag: 'Cost data',
  summary: 'What agreements with providers saved',
  description:
    "Costs of a window at list prices and as contracted, in USD, in total and by provider and agreement. `contracted` + `savings` = `list`, to the last digit, and the lines add up to the totals. A line whose `agreement` is null contains the costs without a discount, including those at the organization's own rates. A cost that the sender stated is the same in both.",
  scope: 'costs:read',
  spends: 'read',
  errors: [],
  body: object(WINDOW),
  document: DOCUMENT,
  at: ['window'],
  answer: async (dates, { gateway, principal }) =>
    (await askGateway(gateway, DOCUMENT, windowOf(dates), principal)).window,
  example: {
    body: { start_date: '2026-01-01', end_date: '2026-02-01' },
    response: {
      start: '2026-01-01T00:00:00.000Z',
      end: '2026-02-01T00:00:00.000Z',
      savings: {
        list: '1500',
        contracted: '1300',
        savings: '200',
        lines: [
          { provider: 'anthropic', agreement: 'Enterprise 2026', list: '1000', contracted: '800', savings: '200' },
          { provider: 'openai', agreement: null, list: '500', contracted: '500', savings: '0' },
        ],
      },
    },
  },
});
