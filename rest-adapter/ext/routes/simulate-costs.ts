import { askGateway } from '#platform/ask-gateway.ts';
import { graphql, type VariablesOf } from '#schema/graphql.ts';
import { extRoute } from '../ext-route.ts';
import { decimal, exactlyOne, list, object, required, text, type ValueOf, WINDOW, windowOf } from '../body.ts';

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
const share = (description: string) => object({ model: MODEL, share: required(decimal('0 to 1.')) }, description);

const CHANGE = exactlyOne({
  replace: object(
    {
      model: required(MODEL),
      provider: PROVIDER,
      by_model: required(text('The replacement, named as in events.')),
      by_provider: text('Its provider.'),
    },
    "Another model at today's rates.",
  ),
  rate: object(
    {
      model: required(MODEL),
      provider: PROVIDER,
      token_class: text('`input`, `output`, `cache_read`, …; default for a factor: all classes.'),
      amount: decimal('USD per million tokens.'),
      factor: decimal('For example 0.9 for 10% less.'),
    },
    'Another rate: an amount of one class, or a factor.',
  ),
  cached_share: share('Share of the input that comes from a cache.'),
  batch_share: share('Share that is sent in batches.'),
});

/** `POST /ext/v1/simulate-costs`: the cost of a window under other models, rates and shares; nothing is stored. */
export const simulateCosts = extRoute({
  url: '/simulate-costs',
  operationId: 'simulateCosts',
  tool: 'simulate_costs',
  tag: 'Rate cards',
  summary: 'Simulate costs',
  description:
    'Returns what costs would have been with another model, another rate, or other shares of cached input and of batches, by end user, largest difference first, at most 1,000. If models count tokens differently, the figures are a range. Events that cannot be simulated keep their cost and are listed in `not_covered`.',
  scope: 'costs:read',
  spends: 'read',
  errors: ['NOT_FOUND', 'UNPROCESSABLE_ENTITY'],
  body: object({
    ...WINDOW,
    changes: list('1 to 20 changes to simulate.', CHANGE, 'Change'),
    end_user: text('Apply the changes only to events of this end user: its `user_id`.'),
    agent: text('Apply the changes only to events of this `agent_id`.'),
  }),
  document: DOCUMENT,
  at: ['window', 'simulateCosts'],
  answer: async ({ changes, end_user: endUser, agent, ...dates }, { gateway, principal }) => {
    const variables = { ...windowOf(dates), changes: changes.map(toChange), filter: { endUser, agent } };
    return (await askGateway(gateway, DOCUMENT, variables, principal)).window.simulateCosts;
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
});

function toChange(change: ValueOf<typeof CHANGE>): Change {
  switch (change.kind) {
    case 'replace': {
      const { by_model: byModel, by_provider: byProvider, ...replaced } = change.value;
      return { replace: { ...replaced, byModel, byProvider } };
    }
    case 'rate': {
      const { token_class: tokenClass, ...rate } = change.value;
      return { rate: { ...rate, tokenClass } };
    }
    case 'cached_share':
      return { cachedShare: change.value };
    case 'batch_share':
      return { batchShare: change.value };
  }
}
