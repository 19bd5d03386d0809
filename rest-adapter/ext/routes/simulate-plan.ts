import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { extRoute } from '../ext-route.ts';
import { decimal, object, oneOf, required, WINDOW, windowOf, wholeNumber } from '../body.ts';

const DOCUMENT = graphql(`query SimulatePlan(
  $start: Instant!, $end: Instant!, $plan: SimulatedPlan!, $customers: PlannedCustomers!
) {
  window(start: $start, end: $end) {
    simulatePlan(plan: $plan, customers: $customers, first: 1000) {
      customer_count: customerCount
      became_unprofitable: becameUnprofitable
      became_profitable: becameProfitable
      break_even: breakEven { total median everyone }
      total {
        cost
        revenue_before: revenueBefore
        revenue_after: revenueAfter
        margin_before: marginBefore
        margin_after: marginAfter
        margin_percent_before: marginPercentBefore
        margin_percent_after: marginPercentAfter
      }
      customers {
        total_count: totalCount
        items: nodes {
          name
          end_user: endUser { external_id: externalId }
          event_count: eventCount
          break_even_flat: breakEvenFlat
          turned
          figures {
            cost
            revenue_before: revenueBefore
            revenue_after: revenueAfter
            margin_before: marginBefore
            margin_after: marginAfter
            margin_percent_before: marginPercentBefore
            margin_percent_after: marginPercentAfter
          }
        }
      }
    }
  }
}`);

const PLAN = object(
  {
    flat: required(decimal('USD per customer and month, regardless of usage.')),
    included_events: wholeNumber('Included completed events; requires `overage_per_event`.'),
    overage_per_event: decimal('USD per event beyond `included_events`.'),
    included_cost: decimal('Included cost in USD; requires `overage_cost_factor`.'),
    overage_cost_factor: decimal('Factor for cost beyond `included_cost`: 1.3 is cost plus 30%.'),
  },
  'Price of the plan per customer and month.',
);

/**
 * `POST /ext/v1/simulate-plan`: the revenue under a plan, and the customers who would lose money; nothing is stored.
 */
export const simulatePlan = extRoute({
  url: '/simulate-plan',
  operationId: 'simulatePlan',
  tool: 'simulate_plan',
  tag: 'Margin',
  summary: 'Simulate a plan',
  description:
    'Applies a flat price with included usage and overage to every customer. Returns revenue and margin before and after (least profitable first, at most 1,000), customers that would become profitable or unprofitable, and break-even flat prices.',
  scope: 'revenue:read',
  spends: 'read',
  errors: ['UNPROCESSABLE_ENTITY'],
  body: object({
    ...WINDOW,
    plan: PLAN,
    customers: oneOf('`paying`: with revenue in the window; `all`: with cost or revenue. Default: paying.', [
      'paying',
      'all',
    ]),
  }),
  document: DOCUMENT,
  at: ['window', 'simulatePlan'],
  answer: async ({ plan, customers, ...dates }, { gateway, principal }) => {
    const variables = {
      ...windowOf(dates),
      plan: {
        flat: plan.flat,
        includedEvents: plan.included_events,
        overagePerEvent: plan.overage_per_event,
        includedCost: plan.included_cost,
        overageCostFactor: plan.overage_cost_factor,
      },
      customers: customers === 'all' ? ('ALL' as const) : ('PAYING' as const),
    };
    return (await askGateway(gateway, DOCUMENT, variables, principal)).window.simulatePlan;
  },
  example: {
    body: { start_date: '2026-01-01', end_date: '2026-02-01', plan: { flat: '20' }, customers: 'all' },
    response: {
      customer_count: 1,
      became_unprofitable: 0,
      became_profitable: 1,
      break_even: { total: '0.0035', median: '0.0035', everyone: '0.0035' },
      total: {
        cost: '0.0035',
        revenue_before: '0',
        revenue_after: '20',
        margin_before: '-0.0035',
        margin_after: '19.9965',
        margin_percent_before: null,
        margin_percent_after: 99.98,
      },
      customers: {
        total_count: 1,
        items: [
          {
            name: 'customer-7',
            end_user: { external_id: 'customer-7' },
            event_count: 1,
            break_even_flat: '0.0035',
            turned: 'BECAME_PROFITABLE',
            figures: {
              cost: '0.0035',
              revenue_before: '0',
              revenue_after: '20',
              margin_before: '-0.0035',
              margin_after: '19.9965',
              margin_percent_before: null,
              margin_percent_after: 99.98,
            },
          },
        ],
      },
    },
  },
});
