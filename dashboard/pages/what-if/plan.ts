/** `/what-if/plan`: asks for a plan and simulates its revenue, as a page and as CSV. */
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import { fail } from '#kernel/errors.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import { windowChoice, type WindowChoice } from '../../figures/window-choice.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { field, queryOf } from '../../http/form.ts';
import { periodQuery } from '../../http/period-query.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { type CsvRow, sendCsv } from '../../http/send-csv.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { breakEvenOnly, planResult } from './plan-result.ts';
import { whatIfHeading, windowFields } from './what-if-heading.ts';

const SIMULATION = graphql(`query WhatIfPlan(
  $start: Instant!, $end: Instant!, $plan: SimulatedPlan!, $customers: PlannedCustomers!, $turned: PlanTurn, $first: Int!, $after: String
) {
  window(start: $start, end: $end) {
    simulatePlan(plan: $plan, customers: $customers, turned: $turned, first: $first, after: $after) {
      customerCount becameUnprofitable becameProfitable
      breakEven { total median everyone }
      total { cost revenueBefore revenueAfter marginPercentAfter }
      customers {
        totalCount pageInfo { hasNextPage endCursor }
        nodes {
          name endUser { externalId } eventCount breakEvenFlat turned
          figures { cost revenueBefore revenueAfter difference marginAfter marginPercentAfter }
        }
      }
    }
  }
}`);

type Planned = DataOf<'WhatIfPlan'>['window']['simulatePlan']['customers']['nodes'][number];

const PAGE = 100;
/** Rows per request: many, because reading a page repeats the whole simulation. */
const CSV_PAGE = 5_000;
const CSV_HEAD = [
  'customer',
  'name',
  'events',
  'cost_usd',
  'revenue_before_usd',
  'revenue_after_usd',
  'difference_usd',
  'margin_after_usd',
  'margin_after_percent',
  'break_even_flat_usd',
  'turned',
];

export function whatIfPlanPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    '/what-if/plan',
    withSession(dependencies, async (signedIn) => {
      const query = periodQuery(dependencies, signedIn);
      const window = windowChoice(query, now());
      const flat = field(query, 'flat');
      const events = eventsOf(query);
      const outcome =
        typeof events === 'string'
          ? null
          : await outcomeOf(
              askGateway(
                dependencies.gateway,
                SIMULATION,
                {
                  ...inputOf(query, window, events),
                  first: PAGE,
                  after: field(query, 'after') || null,
                },
                signedIn.principal,
              ),
            );
      const simulated = outcome?.value?.window.simulatePlan ?? null;
      const error = typeof events === 'string' ? events : (outcome?.error?.message ?? null);
      const body = html`
${whatIfHeading('/what-if/plan', window, query)}
<p class="lead">Test a plan against this period’s usage. The monthly price is counted for each month of the period, in proportion for part of a month. Nothing is changed or stored.</p>
${form(query, windowFields(window))}
${simulated && (flat === '' ? breakEvenOnly(simulated, query) : planResult(simulated, query))}`;
      return sendFramed(signedIn, { title: 'What if: plans', body, error });
    }),
  );

  pages.get(
    '/what-if/plan.csv',
    withSession(dependencies, async ({ request, reply, principal }) => {
      const query = queryOf(request);
      const window = windowChoice(query, now());
      const events = eventsOf(query);
      if (typeof events === 'string') fail('VALIDATION_ERROR', events);
      const input = inputOf(query, window, events);
      const rows = async function* (): AsyncGenerator<readonly CsvRow[]> {
        for (let after: string | null = null, isLast = false; !isLast;) {
          const variables: VariablesOf<'WhatIfPlan'> = { ...input, first: CSV_PAGE, after };
          const data: DataOf<'WhatIfPlan'> = await askGateway(dependencies.gateway, SIMULATION, variables, principal);
          const { nodes, pageInfo } = data.window.simulatePlan.customers;
          yield nodes.map(csvRow);
          after = pageInfo.endCursor;
          isLast = !pageInfo.hasNextPage;
        }
      };
      return sendCsv(reply, `plan-${window.from}-${window.to}`, CSV_HEAD, rows());
    }),
  );
}

/** Customers and prices of the simulated plan. */
function inputOf(query: URLSearchParams, { start, end }: WindowChoice, events: Exclude<PlannedEvents, string>) {
  const turned = field(query, 'turned');
  return {
    start,
    end,
    // Break-even prices do not depend on the entered price.
    plan: { flat: field(query, 'flat') || '0', ...events },
    customers: field(query, 'customers') === 'all' ? 'ALL' : 'PAYING',
    turned: turned === 'BECAME_UNPROFITABLE' || turned === 'BECAME_PROFITABLE' ? turned : null,
  } as const;
}

function csvRow({ endUser, name, eventCount, figures, breakEvenFlat, turned }: Planned): CsvRow {
  return [
    endUser.externalId,
    name,
    eventCount,
    figures.cost,
    figures.revenueBefore,
    figures.revenueAfter,
    figures.difference,
    figures.marginAfter,
    figures.marginPercentAfter,
    breakEvenFlat,
    turned?.toLowerCase() ?? '',
  ];
}

const AMOUNT = /^\d{1,9}(\.\d{1,15})?$/;
const COUNT = /^\d{1,15}$/;

type PlannedEvents =
  | { readonly includedEvents: number; readonly overagePerEvent: string }
  | Record<never, never>
  | string;

/** Returns an error message if the form is invalid. */
function eventsOf(query: URLSearchParams): PlannedEvents {
  const [included, overage] = [field(query, 'events'), field(query, 'overage')];
  if (!AMOUNT.test(field(query, 'flat') || '0') || !AMOUNT.test(overage || '0'))
    return 'Enter a price in dollars, for example 19.90';
  if (included === '' && overage === '') return {};
  if (overage === '') return 'Included events require a price per extra event';
  if (!COUNT.test(included || '0')) return 'Included events must be a whole number';
  return { includedEvents: Number(included || '0'), overagePerEvent: overage };
}

function form(query: URLSearchParams, window: readonly Html[]): Html {
  const typed = (name: string) => field(query, name);
  return html`
<form class="panel stack" method="get" action="/what-if/plan">${window}
  <div class="fields">
    <label>Monthly price, USD<input name="flat" value="${typed('flat')}" inputmode="decimal" maxlength="24" required autocomplete="off"></label>
    <label>Included events<input name="events" value="${typed('events')}" inputmode="numeric" maxlength="15" autocomplete="off"></label>
    <label>Price per extra event, USD<input name="overage" value="${typed('overage')}" inputmode="decimal" maxlength="24" autocomplete="off"></label>
    <label>For<select name="customers"><option value="">paying customers</option><option value="all"${typed('customers') === 'all' && html` selected`}>all customers</option></select></label>
  </div>
  <div><button>Calculate revenue</button></div>
</form>`;
}
