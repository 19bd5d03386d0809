import { askGateway } from '#platform/ask-gateway.ts';
import { fail } from '#schema/errors.ts';
import { graphql, type VariablesOf } from '#schema/graphql.ts';
import { type JsonSchema, text } from '../../json-schema.ts';
import type { ExtRoute } from '../ext-route.ts';
import {
  decimalOf,
  listOf,
  membersOf,
  requiredDecimalOf,
  requiredTextOf,
  textOf,
  WINDOW_MEMBERS,
  windowOf,
} from '../read-body.ts';

const DOCUMENT = graphql(`query SimulateCosts(
  $start: Instant!, $end: Instant!, $changes: [SimulatedChange!]!, $filter: SimulationFilter
) {
  window(start: $start, end: $end) {
    simulateCosts(changes: $changes, filter: $filter, first: 1000) {
      total {
        before
        after { low expected high }
        difference { low expected high }
        percent
      }
      unassigned {
        before
        after { low expected high }
        difference { low expected high }
        percent
      }
      end_users: endUsers {
        total_count: totalCount
        items: nodes {
          end_user: endUser { external_id: externalId }
          before
          after { low expected high }
          difference { low expected high }
          percent
        }
      }
      not_covered: notCovered { reason detail model_slug: modelSlug event_count: eventCount cost }
      tokenizers { model by_model: byModel low expected high source }
    }
  }
}`);

type Change = VariablesOf<'SimulateCosts'>['changes'] extends readonly (infer One)[] | (infer One) ? One : never;

const MODEL = text('Slug of the model, as in costs by model.');
const PROVIDER = text('Slug of its provider; default: any.');
const SHARE = { type: 'object', properties: { model: MODEL, share: text('0 to 1.') }, required: ['share'] };

const CHANGE: JsonSchema = {
  type: 'object',
  description: 'Exactly one of these.',
  properties: {
    replace: {
      type: 'object',
      description: "Another model at today's rates.",
      properties: {
        model: MODEL,
        provider: PROVIDER,
        by_model: text('The replacement, named as in events.'),
        by_provider: text('Its provider.'),
      },
      required: ['model', 'by_model'],
    },
    rate: {
      type: 'object',
      description: 'Another rate: an amount of one class, or a factor.',
      properties: {
        model: MODEL,
        provider: PROVIDER,
        token_class: text('`input`, `output`, `cache_read`, …; default for a factor: all classes.'),
        amount: text('USD per million tokens.'),
        factor: text('For example 0.9 for 10% less.'),
      },
      required: ['model'],
    },
    cached_share: { ...SHARE, description: 'Share of the input that comes from a cache.' },
    batch_share: { ...SHARE, description: 'Share that is sent in batches.' },
  },
  additionalProperties: false,
};

/** `POST /ext/v1/simulate-costs`: the cost of a window under other models, rates and shares; nothing is stored. */
export const simulateCosts: ExtRoute = {
  url: '/simulate-costs',
  operationId: 'simulateCosts',
  tool: 'simulate_costs',
  tag: 'Rate cards',
  summary: 'Simulate costs',
  description:
    'With a model replaced, a rate changed, or other shares of cached input and of batches: by end user, largest difference first, at most 1,000. Where models count tokens differently the figures are a range. What cannot be simulated keeps its cost and is in `not_covered`.',
  scope: 'costs:read',
  spends: 'read',
  errors: ['NOT_FOUND', 'UNPROCESSABLE_ENTITY'],
  body: {
    type: 'object',
    properties: {
      ...WINDOW_MEMBERS,
      changes: { type: 'array', items: CHANGE, description: '1 to 20 changes to simulate.' },
      end_user: text('Apply the changes only to events of this end user: its `user_id`.'),
      agent: text('Apply the changes only to events of this `agent_id`.'),
    },
    required: ['changes'],
    additionalProperties: false,
  },
  manyMax: null,
  document: DOCUMENT,
  at: ['window', 'simulateCosts'],
  answer: async (body, { gateway, principal }) => {
    const members = membersOf(body, 'The request body', [
      ...Object.keys(WINDOW_MEMBERS),
      'changes',
      'end_user',
      'agent',
    ]);
    const { window } = await askGateway(
      gateway,
      DOCUMENT,
      {
        ...windowOf(members),
        changes: listOf(members['changes'], 'changes').map(readChange),
        filter: { endUser: textOf(members, 'end_user'), agent: textOf(members, 'agent') },
      },
      principal,
    );
    return window.simulateCosts;
  },
  example: {
    body: {
      start_date: '2026-01-01',
      end_date: '2026-02-01',
      changes: [{ replace: { model: 'gpt-4o', by_model: 'gpt-4o-mini', by_provider: 'openai' } }],
    },
    response: {
      total: {
        before: '0.0035',
        after: { low: '0.00021', expected: '0.00021', high: '0.00021' },
        difference: { low: '-0.00329', expected: '-0.00329', high: '-0.00329' },
        percent: -94,
      },
      unassigned: {
        before: '0',
        after: { low: '0', expected: '0', high: '0' },
        difference: { low: '0', expected: '0', high: '0' },
        percent: null,
      },
      end_users: {
        total_count: 1,
        items: [
          {
            end_user: { external_id: 'customer-7' },
            before: '0.0035',
            after: { low: '0.00021', expected: '0.00021', high: '0.00021' },
            difference: { low: '-0.00329', expected: '-0.00329', high: '-0.00329' },
            percent: -94,
          },
        ],
      },
      not_covered: [],
      tokenizers: [],
    },
  },
};

function readChange(value: unknown, index: number): Change {
  const what = `Change ${index}`;
  const change = membersOf(value, what, ['replace', 'rate', 'cached_share', 'batch_share']);
  const [kind, ...others] = Object.keys(change).filter((name) => change[name] !== null);
  if (kind === undefined || others.length > 0)
    return fail('VALIDATION_ERROR', `${what} must have exactly one of: replace, rate, cached_share, batch_share`);
  if (kind === 'replace') {
    const replace = membersOf(change[kind], `${what}.replace`, ['model', 'provider', 'by_model', 'by_provider']);
    return {
      replace: {
        model: requiredTextOf(replace, 'model'),
        provider: textOf(replace, 'provider'),
        byModel: requiredTextOf(replace, 'by_model'),
        byProvider: textOf(replace, 'by_provider'),
      },
    };
  }
  if (kind === 'rate') {
    const rate = membersOf(change[kind], `${what}.rate`, ['model', 'provider', 'token_class', 'amount', 'factor']);
    return {
      rate: {
        model: requiredTextOf(rate, 'model'),
        provider: textOf(rate, 'provider'),
        tokenClass: textOf(rate, 'token_class'),
        amount: decimalOf(rate, 'amount'),
        factor: decimalOf(rate, 'factor'),
      },
    };
  }
  const members = membersOf(change[kind], `${what}.${kind}`, ['model', 'share']);
  const share = { model: textOf(members, 'model'), share: requiredDecimalOf(members, 'share') };
  return kind === 'cached_share' ? { cachedShare: share } : { batchShare: share };
}
