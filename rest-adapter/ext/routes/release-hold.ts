import { askGateway } from '#platform/ask-gateway.ts';
import { fail } from '#kernel/errors.ts';
import { graphql } from '#schema/graphql.ts';
import { object, required, text } from '../body.ts';
import { extRoute } from '../ext-route.ts';

const DOCUMENT = graphql(`mutation ReleaseHold($id: ID!) {
  holdRelease(input: { id: $id }) {
    hold {
      hold: id
      state
      amount
      event_id: eventId
      cost
    }
    userErrors { message code }
  }
}`);

/** `POST /ext/v1/release-hold`: releases a hold whose call was not made. */
export const releaseHold = extRoute({
  url: '/release-hold',
  operationId: 'releaseHold',
  tag: 'Spend decisions',
  summary: 'Release a hold',
  description:
    'Send this for a call that was not made or cost nothing. A hold that is already closed keeps its state: `SETTLED` by its event, `RELEASED`, or `EXPIRED`. A test key releases nothing, because its holds reserve nothing.',
  scope: 'usage:write',
  spends: 'decisions',
  errors: ['NOT_FOUND'],
  body: object({ hold: required(text('The id of the hold.')) }),
  document: DOCUMENT,
  at: ['holdRelease', 'hold'],
  answer: async ({ hold: id }, { gateway, principal }) => {
    const { hold, userErrors } = (await askGateway(gateway, DOCUMENT, { id }, principal)).holdRelease;
    const [error] = userErrors;
    return error ? fail(error.code, error.message) : hold;
  },
  example: {
    body: { hold: '0199a1b2-7c00-7000-8000-00000000c0de' },
    response: {
      hold: '0199a1b2-7c00-7000-8000-00000000c0de',
      state: 'RELEASED',
      amount: '0.03',
      event_id: null,
      cost: null,
    },
  },
});
