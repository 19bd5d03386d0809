import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { object } from '../body.ts';
import { extRoute } from '../ext-route.ts';
import { SPEND, spendOf } from '../spend-members.ts';

const DOCUMENT = graphql(`query CheckAllowance($spend: SpendInput!) {
  spendCheck(input: $spend) {
    allowed
    hold: holdId
    left
    because
    amount
    allowance: allowanceId
    expires_at: expiresAt
  }
}`);

/** `POST /ext/v1/check-allowance`: the decision about a call, without a hold. */
export const checkAllowance = extRoute({
  url: '/check-allowance',
  operationId: 'checkAllowance',
  tool: 'check_allowance',
  tag: 'Spend decisions',
  summary: 'Ask whether a call may spend, without reserving anything',
  description:
    'The same decision as `openHold`, without reserving anything: `hold` is null, and `left` is the amount before the call. Other calls can use up the allowance after a check; only a hold reserves it.',
  scope: 'costs:read',
  orScope: 'usage:write',
  spends: 'decisions',
  errors: [],
  body: object(SPEND),
  document: DOCUMENT,
  at: ['spendCheck'],
  answer: async (spend, { gateway, principal }) =>
    (await askGateway(gateway, DOCUMENT, { spend: spendOf(spend) }, principal)).spendCheck,
  example: {
    body: { end_user: 'customer-7', amount: '0.03' },
    response: {
      allowed: true,
      hold: null,
      left: '5',
      because: 'WITHIN_ALLOWANCE',
      amount: '0.03',
      allowance: '0199a1b2-7c00-7000-8000-00000000a110',
      expires_at: null,
    },
  },
});
