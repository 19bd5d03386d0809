import { askGateway } from '#platform/ask-gateway.ts';
import { fail } from '#kernel/errors.ts';
import { graphql } from '#schema/graphql.ts';
import { count, object, required, shortText } from '../body.ts';
import { extRoute } from '../ext-route.ts';
import { SPEND, spendOf } from '../spend-members.ts';

const DOCUMENT = graphql(`mutation OpenHold($idempotencyKey: String!, $spend: SpendInput!, $ttlSeconds: Int) {
  holdOpen(input: { idempotencyKey: $idempotencyKey, spend: $spend, ttlSeconds: $ttlSeconds }) {
    decision {
      allowed
      hold: holdId
      left
      because
      amount
      allowance: allowanceId
      expires_at: expiresAt
    }
    userErrors { message code }
  }
}`);

const SECONDS_MAX = 86_400;
const MEMBERS = {
  idempotency_key: required(
    shortText('Identifies the request, 1 to 255 characters. The same key gets the same answer for 24 hours.'),
  ),
  ...SPEND,
  ttl: count(`Seconds until the hold expires, at most ${SECONDS_MAX}; default: 600.`, SECONDS_MAX),
};

/** `POST /ext/v1/holds`: decides whether a call may spend its maximum cost, and reserves it. */
export const holds = extRoute({
  url: '/holds',
  operationId: 'openHold',
  tag: 'Spend decisions',
  summary: 'Ask whether a call may spend, and reserve its cost',
  description:
    'Compares the maximum cost of the call with every allowance that applies to it, and reserves that amount. Send `hold` as `metadata.hold_id` of the usage event: the exact cost then replaces the hold. Check `allowed` in the response: a refusal also has the status 200. The same key gets the same answer for 24 hours. If you get no response, nothing was allowed.',
  scope: 'usage:write',
  spends: 'decisions',
  errors: [],
  body: object(MEMBERS),
  document: DOCUMENT,
  at: ['holdOpen', 'decision'],
  answer: async ({ idempotency_key: idempotencyKey, ttl: ttlSeconds, ...spend }, { gateway, principal }) => {
    const variables = { idempotencyKey, ttlSeconds, spend: spendOf(spend) };
    const { decision, userErrors } = (await askGateway(gateway, DOCUMENT, variables, principal)).holdOpen;
    const [error] = userErrors;
    return error ? fail(error.code, error.message) : decision;
  },
  example: {
    body: { idempotency_key: 'call-1', end_user: 'customer-7', amount: '0.03' },
    response: {
      allowed: true,
      hold: '0199a1b2-7c00-7000-8000-00000000c0de',
      left: '4.97',
      because: 'WITHIN_ALLOWANCE',
      amount: '0.03',
      allowance: '0199a1b2-7c00-7000-8000-00000000a110',
      expires_at: '2026-01-15T10:10:00.000Z',
    },
  },
});
