import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { extRoute } from '../ext-route.ts';
import { object } from '../body.ts';

const DOCUMENT = graphql(`query Commitments {
  commitments {
    id
    name
    provider
    models
    amount
    currency
    period
    from
    until
    current { from until spent left shortfall fulfilled_on: fulfilledOn forecast { fulfilled_on: fulfilledOn missed_by: missedBy } }
    periods { from until spent left shortfall fulfilled_on: fulfilledOn forecast { fulfilled_on: fulfilledOn missed_by: missedBy } }
  }
}`);

/** `POST /ext/v1/commitments`: amounts agreed to be spent with providers, and what was spent. */
export const commitments = extRoute({
  url: '/commitments',
  operationId: 'getCommitments',
  tool: 'get_commitments',
  tag: 'Cost data',
  summary:
    'Commitments to providers: amounts spent and left, and when they are fulfilled or by how much they are missed',
  description:
    'Amounts that the organization agreed to spend with providers in each month, quarter, year or term: what was spent, what is left, what was missing at the end of periods (`shortfall`), and a forecast from the last 30 settled days. Amounts are USD; days are UTC and settle two hours after they end. Commitments do not change what a call cost.',
  scope: 'costs:read',
  spends: 'read',
  errors: [],
  body: object({}),
  document: DOCUMENT,
  at: [],
  answer: async (_, { gateway, principal }) => askGateway(gateway, DOCUMENT, {}, principal),
  example: {
    body: {},
    response: {
      commitments: [
        {
          id: '0199f0c2-5a00-7000-8000-000000000001',
          name: 'Enterprise 2026',
          provider: 'anthropic',
          models: null,
          amount: '10000',
          currency: 'USD',
          period: 'QUARTER',
          from: '2026-01-01',
          until: '2027-01-01',
          current: {
            from: '2026-04-01',
            until: '2026-07-01',
            spent: '3120.5',
            left: '6879.5',
            shortfall: '0',
            fulfilled_on: null,
            forecast: { fulfilled_on: null, missed_by: '740.25' },
          },
          periods: [
            {
              from: '2026-04-01',
              until: '2026-07-01',
              spent: '3120.5',
              left: '6879.5',
              shortfall: '0',
              fulfilled_on: null,
              forecast: { fulfilled_on: null, missed_by: '740.25' },
            },
            {
              from: '2026-01-01',
              until: '2026-04-01',
              spent: '9400',
              left: '0',
              shortfall: '600',
              fulfilled_on: null,
              forecast: null,
            },
          ],
        },
      ],
    },
  },
});
