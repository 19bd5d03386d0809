import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { extRoute } from '../ext-route.ts';
import { object } from '../body.ts';
import { END_USERS_OF_WINDOW, endUsersOfWindow } from '../end-users-of-window.ts';

const DOCUMENT = graphql(`query InReportingCurrency($start: Instant!, $end: Instant!, $first: Int!) {
  window(start: $start, end: $end) {
    start
    end
    reporting_margin: reportingMargin {
      currency
      revenue: totalRevenue { amount currency }
      cost: totalCost { amount currency }
      cost_in_usd: costInUsd
      margin { amount currency }
      margin_percent: marginPercent
      fees { amount currency }
      margin_after_fees: marginAfterFees { amount currency }
      exchange_differences: exchangeDifferences { amount currency }
      latest_rate: latestRate { day from to rate }
      is_complete: isComplete
      waiting { kind amount { amount currency } reason }
      warnings { count message type }
      end_users: endUsers(first: $first) {
        total_count: totalCount
        nodes {
          user_id: externalId
          name: endUserName
          revenue { amount currency }
          cost { amount currency }
          margin { amount currency }
          margin_percent: marginPercent
          fees { amount currency }
          exchange_differences: exchangeDifferences { amount currency }
        }
      }
    }
  }
}`);

const euros = (amount: string) => ({ amount, currency: 'EUR' });

/** `POST /ext/v1/reporting-margin`: revenue and cost in the reporting currency of the organization. */
export const reportingMargin = extRoute({
  url: '/reporting-margin',
  operationId: 'getReportingMargin',
  tool: 'get_reporting_margin',
  tag: 'Currencies',
  summary: 'Margin in the reporting currency',
  description:
    'Revenue and model costs in the reporting currency of the organization, which is USD unless an owner chose another, in total and for each end user, least profitable first. An invoice keeps the exchange rate at which it was booked; costs are converted at the rate of each day. Fees of the payment processor and exchange differences of refunds and disputes are lines of their own. Amounts without an exchange rate are not part of any figure: they are listed in `waiting`, in their own currency.',
  scope: 'revenue:read',
  spends: 'read',
  errors: ['UNPROCESSABLE_ENTITY'],
  body: object(END_USERS_OF_WINDOW),
  document: DOCUMENT,
  at: ['window'],
  answer: async (body, { gateway, principal }) =>
    (await askGateway(gateway, DOCUMENT, endUsersOfWindow(body), principal)).window,
  example: {
    body: { start_date: '2026-01-01', end_date: '2026-02-01' },
    response: {
      start: '2026-01-01T00:00:00.000Z',
      end: '2026-02-01T00:00:00.000Z',
      reporting_margin: {
        currency: 'EUR',
        revenue: euros('5000'),
        cost: euros('688'),
        cost_in_usd: '800',
        margin: euros('4312'),
        margin_percent: 86.24,
        fees: euros('75.25'),
        margin_after_fees: euros('4236.75'),
        exchange_differences: euros('-2.5'),
        latest_rate: { day: '2026-01-30', from: 'USD', to: 'EUR', rate: '0.86' },
        is_complete: true,
        waiting: [],
        warnings: [],
        end_users: {
          total_count: 1,
          nodes: [
            {
              user_id: 'customer-7',
              name: 'Customer 7',
              revenue: euros('5000'),
              cost: euros('688'),
              margin: euros('4312'),
              margin_percent: 86.24,
              fees: euros('75.25'),
              exchange_differences: euros('-2.5'),
            },
          ],
        },
      },
    },
  },
});
