/** `Window.simulatePlan`: the revenue a plan would have earned, and the cost, by customer. Changes nothing. */
import { type Amount, amount } from '#kernel/money.ts';
import { type PageInput, pageOf, parsePage, toConnection } from '#kernel/page-cursor.ts';
import { type Window, refuseMonthsOver, windowSoFar } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import type { EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import { fail } from '#kernel/errors.ts';
import { MARGIN_CUSTOMERS_MAX, MARGIN_MONTHS_MAX, PLAN_PAGE_MAX } from '../config.ts';
import type { PlanSimulation, PlannedCustomer, PlanTurn } from '../resolvers.generated.ts';
import { compareMargin } from './compare-in-slices.step.ts';
import { type MarginFigures, marginOf } from './margin.ts';
import { revenueByCustomer } from './margin-sums.query.ts';
import { breakEvenFlat, monthsOf, parsePlan, planRevenue, type Plan, type PlanInput } from './plan-revenue.ts';

export interface PlanSimulationInput extends PageInput {
  readonly plan: PlanInput;
  readonly customers: 'PAYING' | 'ALL';
  readonly turned?: PlanTurn | null | undefined;
  /** Cost of every end user, from attribution. */
  readonly costs: EndUserCostLines;
}

interface Customer {
  readonly externalId: string;
  readonly name: string;
  readonly cost: Amount;
  readonly events: number;
  readonly before: Amount;
  readonly after: Amount;
  readonly marginBefore: MarginFigures;
  readonly marginAfter: MarginFigures;
  readonly breakEven: Amount;
  readonly turned: PlanTurn | null;
}

/** Fails as `Window.margin` does, and with `VALIDATION_ERROR` for an invalid plan. */
export async function simulatePlan(
  context: SubgraphContext,
  window: Window,
  { plan: planInput, customers: whom, turned, costs, ...paging }: PlanSimulationInput,
): Promise<PlanSimulation> {
  refuseMonthsOver(window, MARGIN_MONTHS_MAX);
  const page = parsePage(paging, PLAN_PAGE_MAX);
  const plan = parsePlan(planInput);
  const compared = windowSoFar(window, requestedAt(context));
  const organizationId = organizationOf(context);
  const rows = await context.database.find(organizationId, (tx) =>
    revenueByCustomer(tx, organizationId, compared, MARGIN_CUSTOMERS_MAX + 1),
  );
  if (rows.length > MARGIN_CUSTOMERS_MAX)
    fail('UNPROCESSABLE_ENTITY', `A margin can have at most ${MARGIN_CUSTOMERS_MAX} customers`);
  const comparison = await compareMargin(
    costs,
    rows.map((row) => ({ ...row, revenue: amount(row.revenue) })),
  );
  const events = new Map(costs.endUsers.map(([, externalId, , count]) => [externalId, count]));
  const months = monthsOf(compared);
  const planned = comparison.endUsers
    .filter(({ revenue }) => whom === 'ALL' || revenue !== 0n)
    .map(({ externalId, name, cost, revenue, margin }) =>
      withPlan(plan, months, {
        externalId,
        name,
        cost,
        events: events.get(externalId) ?? 0,
        before: revenue,
        marginBefore: margin,
      }),
    )
    .sort(leastProfitableFirst);
  const shown = planned.filter((customer) => !turned || customer.turned === turned);
  const [cost, before, after] = [sumOf(planned, 'cost'), sumOf(planned, 'before'), sumOf(planned, 'after')];
  return {
    start: compared.start,
    end: compared.end,
    total: figuresOf(cost, { before, after, marginBefore: marginOf(before, cost), marginAfter: marginOf(after, cost) }),
    customerCount: planned.length,
    becameUnprofitable: countOf(planned, 'BECAME_UNPROFITABLE'),
    becameProfitable: countOf(planned, 'BECAME_PROFITABLE'),
    customers: toConnection(pageOf(shown, page).map(toView), shown.length, page),
    breakEven: planned.length === 0 ? null : breakEvenPrices(plan, planned, months),
  };
}

function withPlan(
  plan: Plan,
  months: bigint,
  customer: Omit<Customer, 'after' | 'marginAfter' | 'breakEven' | 'turned'>,
): Customer {
  const after = planRevenue(plan, customer, months);
  const marginAfter = marginOf(after, customer.cost);
  const [was, is] = [customer.marginBefore.category, marginAfter.category].map((name) => name === 'unprofitable');
  return {
    ...customer,
    after,
    marginAfter,
    breakEven: breakEvenFlat(plan, customer, months),
    turned: was === is ? null : is ? 'BECAME_UNPROFITABLE' : 'BECAME_PROFITABLE',
  };
}

function leastProfitableFirst(one: Customer, other: Customer): number {
  const [amountOfOne, amountOfOther] = [one.marginAfter.amount, other.marginAfter.amount];
  if (amountOfOne !== amountOfOther) return amountOfOne < amountOfOther ? -1 : 1;
  return one.externalId < other.externalId ? -1 : 1;
}

function sumOf(customers: readonly Customer[], name: 'cost' | 'before' | 'after'): Amount {
  return customers.reduce((total, customer) => total + customer[name], 0n);
}

function countOf(customers: readonly Customer[], turn: PlanTurn): number {
  return customers.filter(({ turned }) => turned === turn).length;
}

/** `planned` must not be empty. Overage is computed per customer. */
function breakEvenPrices(plan: Plan, planned: readonly Customer[], months: bigint): PlanSimulation['breakEven'] {
  const prices = planned.map(({ breakEven }) => breakEven).sort((one, other) => (one < other ? -1 : 1));
  const overage = planned.reduce((total, customer) => total + planRevenue({ ...plan, flat: 0n }, customer, months), 0n);
  const open = sumOf(planned, 'cost') - overage;
  const divisor = months * BigInt(planned.length);
  return {
    total: open <= 0n || divisor === 0n ? 0n : (open * 1_000_000_000n + divisor - 1n) / divisor,
    median: prices[Math.ceil(prices.length / 2) - 1]!,
    everyone: prices.at(-1)!,
  };
}

function figuresOf(
  cost: Amount,
  { before, after, marginBefore, marginAfter }: Pick<Customer, 'before' | 'after' | 'marginBefore' | 'marginAfter'>,
): PlanSimulation['total'] {
  return {
    cost,
    revenueBefore: before,
    revenueAfter: after,
    difference: after - before,
    marginBefore: marginBefore.amount,
    marginAfter: marginAfter.amount,
    marginPercentBefore: marginBefore.percent,
    marginPercentAfter: marginAfter.percent,
  };
}

function toView(customer: Customer): PlannedCustomer {
  const { externalId, name, events, breakEven, turned } = customer;
  return {
    endUser: { externalId, name },
    name,
    eventCount: events,
    figures: figuresOf(customer.cost, customer),
    breakEvenFlat: breakEven,
    turned,
  };
}
