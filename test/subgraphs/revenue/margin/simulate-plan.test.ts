import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount, plain } from '#kernel/money.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { addCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import { addInvoice, linesOf } from '../../../../packages/stripe-stand-in/invoices.ts';
import { addCreditNote } from '../../../../packages/stripe-stand-in/reversals.ts';
import { makeSubgraph } from '#platform/subgraph/subgraph.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import { revenue } from '../../../../subgraphs/revenue/main.ts';
import { breakEvenFlat, monthsOf, parsePlan, planRevenue } from '../../../../subgraphs/revenue/margin/plan-revenue.ts';
import { at, costLines, type RevenueService, startRevenue } from '../revenue-builder.ts';

const MONTH = 1_000_000_000n;

describe('a plan', () => {
  it.each([
    ['a flat price', { flat: '20' }, { cost: '5', events: 10 }, '20'],
    ['events within', { flat: '20', includedEvents: 10, overagePerEvent: '0.5' }, { cost: '5', events: 10 }, '20'],
    ['events beyond', { flat: '20', includedEvents: 7, overagePerEvent: '0.5' }, { cost: '5', events: 10 }, '21.5'],
    ['cost within', { flat: '20', includedCost: '5', overageCostFactor: '1.3' }, { cost: '5', events: 10 }, '20'],
    ['cost beyond', { flat: '20', includedCost: '3', overageCostFactor: '1.3' }, { cost: '5', events: 10 }, '22.6'],
  ])('charges for %s', (_name, plan, { cost, events }, expected) => {
    expect(plain(planRevenue(parsePlan(plan), { cost: amount(cost), events }, MONTH))).toBe(expected);
    expect(plain(planRevenue(parsePlan(plan), { cost: amount(cost) * 2n, events: events * 2 }, 2n * MONTH))).toBe(
      plain(amount(expected) * 2n),
    );
  });

  it('earns at its break-even price what the customer costs, and not less', () => {
    const units = fc.bigInt({ min: 0n, max: 10n ** 21n });
    fc.assert(
      fc.property(
        units,
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.bigInt({ min: 1n, max: 12n * MONTH }),
        fc.integer({ min: 0, max: 1_000 }),
        (cost, events, months, includedEvents) => {
          const plan = parsePlan({ flat: '0', includedEvents, overagePerEvent: '0.000001' });
          const usage = { cost, events };
          const flat = breakEvenFlat(plan, usage, months);
          const earned = (price: bigint) => planRevenue({ ...plan, flat: price }, usage, months);
          expect(earned(flat)).toBeGreaterThanOrEqual(cost);
          if (flat > MONTH) expect(earned(flat - MONTH)).toBeLessThanOrEqual(cost);
        },
      ),
    );
  });

  it.each([
    ['2026-01-01', '2026-02-01', '1000000000'],
    ['2026-02-01', '2026-02-15', '500000000'],
    ['2026-01-01', '2027-01-01', '12000000000'],
  ])('counts calendar months from %s until %s', (start, end, expected) => {
    expect(monthsOf(parseWindow({ start, end })).toString()).toBe(expected);
  });

  it.each([
    ['a negative price', { flat: '-1' }],
    ['events without a price', { flat: '1', includedEvents: 5 }],
    ['a price without events', { flat: '1', overagePerEvent: '5' }],
    ['half an event', { flat: '1', includedEvents: 0.5, overagePerEvent: '5' }],
    ['cost without a factor', { flat: '1', includedCost: '5' }],
  ])('a plan with %s is an error', (_name, plan) => {
    expect(() => parsePlan(plan)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });
});

const FIGURES =
  'cost revenueBefore revenueAfter difference marginBefore marginAfter marginPercentBefore marginPercentAfter';
const PLAN = `query ($window: [_Any!]!, $plan: SimulatedPlan!, $customers: PlannedCustomers, $turned: PlanTurn) {
  _entities(representations: $window) { ... on Window {
    simulatePlan(plan: $plan, customers: $customers, turned: $turned) {
      customerCount becameUnprofitable becameProfitable breakEven { total median everyone } total { ${FIGURES} }
      customers { totalCount nodes { name endUser { externalId } eventCount breakEvenFlat turned figures { ${FIGURES} } } }
    }
  } }
}`;

describe('Window.simulatePlan', () => {
  const month = { start: at('2026-01-01T00:00:00Z'), end: at('2026-02-01T00:00:00Z') };
  const JANUARY = { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' };
  let service: RevenueService;
  const invoices: string[] = [];
  beforeAll(async () => {
    service = await startRevenue();
    const { account } = service.standIn;
    for (const [name, cents] of [
      ['ada', 10_000],
      ['bob', 1_000],
      ['cid', 5_000],
    ] as const)
      invoices.push(
        addInvoice(account, {
          customer: addCustomer(account, { name: `${name} Ltd`, metadata: { user_id: name } }),
          lines: [{ amount: cents, ...month }],
        }),
      );
    await service.connect();
    await service.sync();
  });
  afterAll(() => service.close());
  const ask = async (variables: object, grants: readonly string[] = ['revenue:read'], days = JANUARY) => {
    const window = { __typename: 'Window', ...days };
    const costs = { ada: '60', bob: '20', cid: '10', dan: '5' };
    const endUserCostLines = costLines(service.organizationId, costs, '0');
    const { data, errors } = await inProcessSubgraph(makeSubgraph(revenue, service.dependencies)).execute(
      PLAN,
      { window: [{ ...window, endUserCostLines }], ...variables },
      { ...service.context.principal, grants },
    );
    const [found] = (data as { _entities: { simulatePlan: Record<string, unknown> }[] })?._entities ?? [];
    return { plan: found?.simulatePlan, errors };
  };

  it('names customers who would start or stop losing money, and the break-even price', async () => {
    const { plan, errors } = await ask({ plan: { flat: '30' } });
    expect(errors).toBeUndefined();
    expect(plan).toMatchObject({
      customerCount: 3,
      becameUnprofitable: 1,
      becameProfitable: 1,
      breakEven: { total: '30', median: '20', everyone: '60' },
      total: { cost: '90', revenueBefore: '160', revenueAfter: '90', difference: '-70', marginAfter: '0' },
      customers: {
        nodes: [
          { name: 'ada Ltd', turned: 'BECAME_UNPROFITABLE', breakEvenFlat: '60', figures: { marginAfter: '-30' } },
          { name: 'bob Ltd', turned: 'BECAME_PROFITABLE', figures: { marginBefore: '-10', marginAfter: '10' } },
          { name: 'cid Ltd', turned: null, eventCount: 1, figures: { marginPercentAfter: 66.67 } },
        ],
      },
    });
  });

  it('covers all customers with costs if requested, and those whose margin changes sign', async () => {
    const { plan: all } = await ask({ plan: { flat: '30' }, customers: 'ALL' });
    expect(all).toMatchObject({
      ...{ customerCount: 4, total: { cost: '95' }, becameProfitable: 2 },
      // 5, 10, 20 and 60: at 10, half of the four customers are profitable.
      breakEven: { total: '23.75', median: '10', everyone: '60' },
    });
    const { plan: turned } = await ask({ plan: { flat: '30' }, turned: 'BECAME_PROFITABLE' });
    expect(turned).toMatchObject({ customerCount: 3, customers: { totalCount: 1, nodes: [{ name: 'bob Ltd' }] } });
  });

  it('counts a customer whose revenue is negative, because a closed month was corrected, as paying', async () => {
    const subgraph = inProcessSubgraph(makeSubgraph(revenue, service.dependencies));
    const close = 'mutation { revenueClose(input: { through: "2026-01" }) { userErrors { message } } }';
    const principal = { ...service.context.principal, grants: ['operator'] };
    expect((await subgraph.execute(close, {}, principal)).data).toEqual({ revenueClose: { userErrors: [] } });
    const { account } = service.standIn;
    const invoice = invoices[2]!;
    addCreditNote(account, { invoice, credits: [{ line: linesOf(account, invoice)[0]!.id, amount: 5_000 }] });
    await service.sync();
    const february = { start: '2026-02-01T00:00:00.000Z', end: '2026-03-01T00:00:00.000Z' };
    const { plan } = await ask({ plan: { flat: '30' } }, ['revenue:read'], february);
    expect(plan).toMatchObject({
      ...{ customerCount: 1, total: { cost: '10', revenueBefore: '-50', revenueAfter: '30' } },
      customers: { nodes: [{ name: 'cid Ltd', turned: 'BECAME_PROFITABLE' }] },
    });
  });

  it('needs the scope of revenue', async () => {
    const { errors } = await ask({ plan: { flat: '30' } }, ['costs:read']);
    expect(errors?.[0]).toMatchObject({ extensions: { code: 'FORBIDDEN' } });
  });
});
