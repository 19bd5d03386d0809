import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { count, object, oneOf, text } from '../body.ts';
import { extRoute } from '../ext-route.ts';

const DOCUMENT = graphql(`query ListAllowances($filter: AllowanceFilter, $first: Int!, $after: String) {
  allowances(filter: $filter, first: $first, after: $after) {
    items: nodes {
      id
      subject
      subject_id: subjectId
      period
      policy
      amount
      held
      spent
      left
      used_percent: usedPercent
      open_holds: openHolds
      period_start: periodStart
      period_end: periodEnd
      counts_from: countsFrom
    }
    page_info: pageInfo { has_next_page: hasNextPage end_cursor: endCursor }
  }
}`);

const SUBJECTS = { organization: 'ORGANIZATION', end_user: 'END_USER', agent: 'AGENT' } as const;
const FIRST = 50;
const FIRST_MAX = 500;
const MEMBERS = {
  subject: oneOf('Only allowances for this kind of subject.', ['organization', 'end_user', 'agent']),
  subject_id: text('Only allowances for this `user_id` or `agent_id`.'),
  used_percent: count('Only allowances of which at least this percentage is spent.', 100_000),
  first: count(`Number of items, at most ${FIRST_MAX}; default: ${FIRST}.`, FIRST_MAX),
  after: text('`end_cursor` of the previous page.'),
};

/** `POST /ext/v1/allowances`: what is left of allowances. */
export const allowances = extRoute({
  url: '/allowances',
  operationId: 'listAllowances',
  tool: 'list_allowances',
  tag: 'Spend decisions',
  summary: 'Allowances, and what is left of them',
  description:
    'Allowances, each with what is held, spent and left in its current period, in USD, in order of creation. `spent` follows the ledger, corrections included.',
  scope: 'costs:read',
  spends: 'read',
  errors: [],
  body: object(MEMBERS),
  document: DOCUMENT,
  at: ['allowances'],
  answer: async ({ subject, subject_id: subjectId, used_percent: usedPercent, first, after }, request) => {
    const filter = { subject: subject === null ? null : SUBJECTS[subject], subjectId, usedPercent };
    const variables = { filter, first: first ?? FIRST, after };
    return (await askGateway(request.gateway, DOCUMENT, variables, request.principal)).allowances;
  },
  example: {
    body: { subject: 'end_user' },
    response: {
      items: [
        {
          id: '0199a1b2-7c00-7000-8000-00000000a110',
          subject: 'END_USER',
          subject_id: 'customer-7',
          period: 'DAY',
          policy: 'DENY',
          amount: '5',
          held: '0.03',
          spent: '1.25',
          left: '3.72',
          used_percent: 25,
          open_holds: 1,
          period_start: '2026-01-15T00:00:00.000Z',
          period_end: '2026-01-16T00:00:00.000Z',
          counts_from: '2026-01-01T00:00:00.000Z',
        },
      ],
      page_info: { has_next_page: false, end_cursor: null },
    },
  },
});
