import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { extRoute } from '../ext-route.ts';
import { object } from '../body.ts';

const DOCUMENT = graphql(`query ProviderCredits {
  provider_credits: providerCredits {
    id
    kind
    name
    provider
    models
    classes
    amount
    currency
    from
    until
    order
    is_in_force: isInForce
    used
    expired
    left
    forecast { used_up_on: usedUpOn expires_unused: expiresUnused }
  }
}`);

/** `POST /ext/v1/provider-credits`: provider credits and prepayments, and what they paid for. */
export const providerCredits = extRoute({
  url: '/provider-credits',
  operationId: 'getProviderCredits',
  tool: 'get_provider_credits',
  tag: 'Cost data',
  summary: 'Provider credits and prepayments: amounts used and left, and when they end',
  description:
    'Credits that providers gave (`CREDIT`) and prepayments (`PREPAYMENT`): what they paid for, what is left, and a forecast from the last 30 settled days. Amounts are USD; days are UTC and settle two hours after they end. They do not change what a call cost; what expires of a prepayment is a cost of the organization.',
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
      provider_credits: [
        {
          id: '0199f0c2-5a00-7000-8000-000000000001',
          kind: 'CREDIT',
          name: 'Startup program',
          provider: 'openai',
          models: null,
          classes: null,
          amount: '2500',
          currency: 'USD',
          from: '2026-01-01',
          until: '2027-01-01',
          order: null,
          is_in_force: true,
          used: '120.5',
          expired: '0',
          left: '2379.5',
          forecast: { used_up_on: null, expires_unused: '960.75' },
        },
      ],
    },
  },
});
