/** The margin after fixed costs: model costs and fixed costs side by side, for each customer and in total. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import { makeSubgraph } from '#platform/subgraph/subgraph.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { addCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import { revenue } from '../../../../subgraphs/revenue/main.ts';
import { at, costLines, type RevenueService, startRevenue } from '../revenue-builder.ts';

const JANUARY = { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' };
const WINDOW = `query ($window: [_Any!]!, $first: Int!, $after: String) { _entities(representations: $window) { ... on Window {
  marginAfterFixedCosts {
    totalRevenue modelCost replacedCost fixedCost allocatedCost unassignedCost idleCost unallocatedCost shortfallCost adjustmentCost marginAmount marginPercent
    warnings { type count message }
    endUsers(first: $first, after: $after) {
      nodes { endUserId endUserName revenue modelCost replacedCost allocatedCost marginAmount marginPercent } totalCount pageInfo { endCursor }
    }
  }
} } }`;

let service: RevenueService;
beforeEach(async () => {
  service = await startRevenue();
});
afterEach(() => service.close());

async function ask(
  allocatedCostLines: object,
  page: { first: number; after?: string } = { first: 10 },
  { bookedShortfall = '0', adjustmentTotal = '0' } = {},
) {
  const endUserCostLines = costLines(service.organizationId, { ada: '3', bob: '1' }, '2');
  const { data, errors } = await inProcessSubgraph(makeSubgraph(revenue, service.dependencies)).execute(
    WINDOW,
    {
      window: [
        { __typename: 'Window', ...JANUARY, endUserCostLines, allocatedCostLines, bookedShortfall, adjustmentTotal },
      ],
      ...page,
    },
    { ...service.context.principal, grants: ['revenue:read'] },
  );
  expect(errors).toBeUndefined();
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  return (data as { _entities: [{ marginAfterFixedCosts: any }] })._entities[0].marginAfterFixedCosts;
}

const allocated = {
  endUsers: [
    ['ada', '50', '0'],
    ['eve', '0.5', '0'],
  ],
  unassigned: '0.25',
  idle: '20',
  unallocated: '4',
  replacedCost: '0',
  unallocatedDays: null,
};

it('the margin after fixed costs subtracts model costs and fixed costs, including for customers who only carry fixed costs', async () => {
  const { account } = service.standIn;
  const ada = addCustomer(account, { name: 'Ada Ltd', metadata: { user_id: 'ada' } });
  addInvoice(account, {
    customer: ada,
    lines: [{ amount: 10_000, start: at(JANUARY.start), end: at(JANUARY.end) }],
  });
  await service.connect();
  await service.sync();
  expect(await ask(allocated)).toEqual({
    totalRevenue: '100',
    modelCost: '6',
    replacedCost: '0',
    fixedCost: '74.75',
    allocatedCost: '50.5',
    unassignedCost: '0.25',
    idleCost: '20',
    unallocatedCost: '4',
    shortfallCost: '0',
    adjustmentCost: '0',
    marginAmount: '19.25',
    marginPercent: 19.25,
    warnings: [],
    endUsers: {
      nodes: [
        figures('bob', 'bob', ['0', '1', '0', '-1'], null),
        figures('eve', 'eve', ['0', '0', '0.5', '-0.5'], null),
        figures('ada', 'Ada Ltd', ['100', '3', '50', '47'], 47),
      ],
      totalCount: 3,
      pageInfo: { endCursor: expect.any(String) },
    },
  });
  const first = await ask(allocated, { first: 2 });
  const second = await ask(allocated, { first: 2, after: first.endUsers.pageInfo.endCursor });
  expect(second.endUsers.nodes).toEqual([figures('ada', 'Ada Ltd', ['100', '3', '50', '47'], 47)]);
});

it('the margin after fixed costs subtracts shortfalls of commitments on a line of their own, which no customer carries', async () => {
  const without = await ask(allocated);
  expect(await ask(allocated, { first: 10 }, { bookedShortfall: '1000.000000000000001' })).toEqual({
    ...without,
    shortfallCost: '1000.000000000000001',
    marginAmount: '-1080.750000000000001',
  });
});

it('the margin after fixed costs subtracts adjustments, which no customer carries, including negative ones', async () => {
  const before = await ask(allocated);
  const after = await ask(allocated, { first: 10 }, { adjustmentTotal: '4.5' });
  expect(after).toEqual({ ...before, adjustmentCost: '4.5', marginAmount: '-85.25' });
  expect(await ask(allocated, { first: 10 }, { adjustmentTotal: '-0.75' })).toMatchObject({
    fixedCost: '74.75',
    adjustmentCost: '-0.75',
    marginAmount: '-80',
  });
});

it('the margin after fixed costs leaves out model costs that fixed costs replace, for each customer and in total', async () => {
  const before = await ask(allocated);
  const after = await ask({
    ...allocated,
    endUsers: [
      ['ada', '50', '2.5'],
      ['eve', '0.5', '0'],
      ['bob', '0', '1'],
    ],
    // 0.75 of the replaced cost belongs to no customer.
    replacedCost: '4.25',
  });
  expect(after).toEqual({
    ...before,
    replacedCost: '4.25',
    marginAmount: '-76.5',
    endUsers: {
      ...before.endUsers,
      nodes: [
        { ...figures('ada', 'ada', ['0', '3', '50', '-50.5'], null), replacedCost: '2.5' },
        figures('eve', 'eve', ['0', '0', '0.5', '-0.5'], null),
        { ...figures('bob', 'bob', ['0', '1', '0', '0'], null), replacedCost: '1' },
      ],
    },
  });
});

it('the margin after fixed costs equals the margin if there are no fixed costs', async () => {
  expect(
    await ask({ endUsers: [], unassigned: '0', idle: '0', unallocated: '0', replacedCost: '0', unallocatedDays: null }),
  ).toMatchObject({
    totalRevenue: '0',
    modelCost: '6',
    fixedCost: '0',
    marginAmount: '-6',
    marginPercent: null,
  });
});

it('the margin after fixed costs names the day up to which fixed costs are known; revenue and model costs are included until the end of the window', async () => {
  const { warnings } = await ask({ ...allocated, unallocatedDays: { firstDay: '2026-01-30', days: 2 } });
  expect(warnings).toEqual([
    {
      type: 'fixed_costs_incomplete',
      count: 2,
      message:
        'All fixed costs are included up to the start of 2026-01-30 (UTC). 2 days of this period are not allocated yet, but revenue and model costs are included.',
    },
  ]);
});

function figures(
  externalId: string,
  endUserName: string,
  [revenue, modelCost, allocatedCost, marginAmount]: readonly [string, string, string, string],
  marginPercent: number | null,
) {
  const id = endUserId(service.organizationId, externalId);
  return {
    endUserId: id,
    endUserName,
    revenue,
    modelCost,
    replacedCost: '0',
    allocatedCost,
    marginAmount,
    marginPercent,
  };
}
