import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { plain } from '#kernel/money.ts';
import { trendBuckets } from '#kernel/time/trend-buckets.ts';
import { trendSeries } from '../../../../subgraphs/attribution/trends/trend-series.ts';
import { aWindow } from '../../../kernel/time/a-window.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import { makeSubgraph } from '#platform/subgraph/subgraph.ts';
import { revenue } from '../../../../subgraphs/revenue/main.ts';
import { addCustomer, addSubscription, updateCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import { at, costLines, type RevenueService, startRevenue } from '../revenue-builder.ts';
import { runs } from '../../../support/property-runs.ts';

const JANUARY = { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' };
const month = { start: at(JANUARY.start), end: at(JANUARY.end) };
const WINDOW = `query ($window: [_Any!]!) { _entities(representations: $window) { ... on Window {
  margin {
    endUserCount endUsers(first: 2) { nodes { endUserName marginAmount } } endUserList
    total { totalRevenue totalCost marginAmount marginPercent profitability revenueRecordCount costRecordCount unattributedRevenue unattributedCost }
    warnings { count type message }
  }
  recognizedRevenue { granularity dataPoints { date revenue } }
} } }`;

interface EndUsers {
  readonly nodes: readonly { endUserName: string; isMatched: boolean }[];
  readonly pageInfo: { hasNextPage: boolean; endCursor: string };
  readonly totalCount: number;
}

let service: RevenueService;
beforeEach(async () => {
  service = await startRevenue();
});
afterEach(() => service.close());

function ask(
  window: { start: string; end: string },
  costs: Record<string, string> = {},
  unassigned = '0',
  grants: readonly string[] = ['revenue:read'],
  document = WINDOW,
) {
  const endUserCostLines = costLines(service.organizationId, costs, unassigned);
  return inProcessSubgraph(makeSubgraph(revenue, service.dependencies)).execute(
    document,
    { window: [{ __typename: 'Window', ...window, endUserCostLines }] },
    { ...service.context.principal, grants },
  );
}

describe('a margin', () => {
  it('a margin without a connection has zero revenue and says so', async () => {
    const { data, errors } = await ask(JANUARY, { ada: '3', bob: '0' }, '2');
    expect(errors).toBeUndefined();
    expect((data as { _entities: [{ margin: unknown }] })._entities[0].margin).toEqual({
      endUserCount: 1,
      endUsers: { nodes: [{ endUserName: 'ada', marginAmount: '-3' }] },
      endUserList: [
        {
          end_user_id: expect.any(String),
          end_user_name: 'ada',
          cost: '3',
          revenue: '0',
          margin_amount: '-3',
          margin_percent: null,
          profitability_category: 'unprofitable',
        },
      ],
      total: {
        totalRevenue: '0',
        totalCost: '5',
        marginAmount: '-5',
        marginPercent: null,
        profitability: 'UNPROFITABLE',
        revenueRecordCount: 0,
        costRecordCount: 2,
        unattributedRevenue: '0',
        unattributedCost: '2',
      },
      warnings: [
        { type: 'unattributed_cost', count: 1, message: expect.stringContaining('2 USD') },
        { type: 'revenue_not_connected', count: 1, message: expect.any(String) },
      ],
    });
  });

  it('a margin with a connection but without data is break-even without a warning', async () => {
    await service.connect();
    await service.sync();
    const { data } = await ask(JANUARY);
    expect(data).toMatchObject({
      _entities: [
        {
          margin: {
            endUserList: [],
            warnings: [],
            total: { profitability: 'BREAK_EVEN', marginPercent: null },
          },
        },
      ],
    });
  });

  it('lists the least profitable first, names customers, and keeps unassigned amounts in the total', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { name: 'Ada Ltd', metadata: { user_id: 'ada' } });
    const stranger = addCustomer(account, { name: 'Stranger', metadata: { user_id: 'never seen' } });
    addInvoice(account, { customer: ada, lines: [{ amount: 10_000, ...month }] });
    addInvoice(account, {
      customer: stranger,
      lines: [{ amount: 3_100, start: at('2026-01-31T00:00:00Z'), end: at('2026-03-03T00:00:00Z') }],
    });
    addInvoice(account, {
      customer: null,
      lines: [{ amount: 500, start: at('2025-12-31T00:00:00Z'), end: at('2026-01-05T00:00:00Z') }],
    });
    await service.connect();
    await service.sync();
    const { data } = await ask(JANUARY, { ada: '20', bob: '1.5', cid: '1.5' });
    expect(data).toMatchObject({
      _entities: [
        {
          margin: {
            endUserCount: 3,
            endUsers: {
              nodes: [
                { endUserName: 'bob', marginAmount: '-1.5' },
                { endUserName: 'cid', marginAmount: '-1.5' },
              ],
            },
            endUserList: [
              {},
              {},
              {
                end_user_name: 'Ada Ltd',
                revenue: '100',
                margin_amount: '80',
                margin_percent: 80,
                profitability_category: 'profitable',
              },
            ],
            total: {
              totalRevenue: '105',
              totalCost: '23',
              marginPercent: 78.1,
              revenueRecordCount: 3,
              costRecordCount: 3,
              unattributedRevenue: '31',
              unattributedCost: '0',
            },
            warnings: [{ type: 'unattributed_revenue', count: 2 }],
          },
          recognizedRevenue: {
            granularity: 'weekly',
            dataPoints: [
              { date: '2025-12-29', revenue: '16.903225806451613' },
              { date: '2026-01-05', revenue: '22.580645161290322' },
              { date: '2026-01-12', revenue: '22.580645161290323' },
              { date: '2026-01-19', revenue: '22.580645161290323' },
              { date: '2026-01-26', revenue: '20.354838709677419' },
            ],
          },
        },
      ],
    });
  });

  it('pages through filtered and ordered end users, with the sums of all that match', async () => {
    const { account } = service.standIn;
    const customers = { ada: 10_000, bob: 100, eve: 200, nobody: 700 };
    for (const [name, cents] of Object.entries(customers)) {
      const customer = addCustomer(account, { name: `${name} Ltd`, metadata: { user_id: name } });
      addInvoice(account, { customer, lines: [{ amount: cents, ...month }] });
    }
    addInvoice(account, { customer: null, lines: [{ amount: 50, ...month }] });
    await service.connect();
    await service.sync();
    const costs = { ada: '20', bob: '3', eve: '1', free: '9', cheap: '0.5' };
    const list = async (args: string) => {
      const { data, errors } = await ask(
        JANUARY,
        costs,
        '0',
        ['revenue:read'],
        `query ($window: [_Any!]!) { _entities(representations: $window) { ... on Window { margin {
          endUsers${args} { nodes { endUserName isMatched } edges { cursor } pageInfo { hasNextPage endCursor } totalCount totalRevenue totalCost marginAmount }
          unmatchedCustomers(first: 1) { nodes { name externalId revenue } pageInfo { hasNextPage } totalCount totalRevenue }
        } } } }`,
      );
      if (errors) throw new Error(JSON.stringify(errors));
      return (data as { _entities: [{ margin: { endUsers: EndUsers; unmatchedCustomers: unknown } }] })._entities[0]
        .margin;
    };
    const names = async (args: string) => (await list(args)).endUsers.nodes.map(({ endUserName }) => endUserName);
    const all = ['free', 'bob Ltd', 'cheap', 'eve Ltd', 'ada Ltd'];
    const { endUsers, unmatchedCustomers } = await list('');
    expect(endUsers).toMatchObject({ totalCount: 5, totalRevenue: '103', totalCost: '33.5', marginAmount: '69.5' });
    expect(endUsers.nodes.map(({ endUserName }) => endUserName)).toEqual(all);
    expect(endUsers.nodes.filter(({ isMatched }) => !isMatched).map(({ endUserName }) => endUserName)).toEqual([
      'free',
      'cheap',
    ]);
    expect(unmatchedCustomers).toEqual({
      nodes: [{ name: 'nobody Ltd', externalId: 'nobody', revenue: '7' }],
      pageInfo: { hasNextPage: true },
      totalCount: 2,
      totalRevenue: '7.5',
    });
    expect(await names('(filter: { only: PAYING })')).toEqual(['bob Ltd', 'eve Ltd', 'ada Ltd']);
    expect(await names('(filter: { only: UNMATCHED }, orderBy: { by: COST })')).toEqual(['cheap', 'free']);
    expect(await names('(filter: { search: "LTD" }, orderBy: { by: NAME, descending: true })')).toEqual([
      'eve Ltd',
      'bob Ltd',
      'ada Ltd',
    ]);
    expect(await names('(orderBy: { by: PERCENT })')).toEqual(['bob Ltd', 'eve Ltd', 'ada Ltd', 'cheap', 'free']);
    expect(await names('(orderBy: { by: REVENUE, descending: true })')).toEqual([
      'ada Ltd',
      'eve Ltd',
      'bob Ltd',
      'cheap',
      'free',
    ]);
    expect(await names(`(filter: { endUserId: "${endUserId(service.organizationId, 'eve')}" })`)).toEqual(['eve Ltd']);
    const first = (await list('(first: 3)')).endUsers;
    const rest = (await list(`(first: 3, after: "${first.pageInfo.endCursor}")`)).endUsers;
    expect([...first.nodes, ...rest.nodes].map(({ endUserName }) => endUserName)).toEqual(all);
    expect([first.pageInfo.hasNextPage, rest.pageInfo.hasNextPage, rest.totalCount]).toEqual([true, false, 5]);
    await expect(list('(first: 5001)')).rejects.toThrow('first must be from 1 to 5000');
  });

  it('over time is returned next to the costs of the same days', async () => {
    const { account } = service.standIn;
    addInvoice(account, {
      customer: addCustomer(account),
      lines: [{ amount: 400, start: at('2026-01-01T00:00:00Z'), end: at('2026-01-05T00:00:00Z') }],
    });
    await service.connect();
    await service.sync();
    const trend = {
      granularity: 'daily',
      series: [
        {
          dataPoints: [
            { date: '2026-01-02', cost: '0.5' },
            { date: '2026-01-03', cost: '0' },
          ],
        },
      ],
    };
    const document =
      'query ($window: [_Any!]!) { _entities(representations: $window) { ... on Window { marginTrend { granularity dataPoints { date revenue cost marginAmount marginPercent } } } } }';
    const window = [
      { __typename: 'Window', start: '2026-01-02T00:00:00.000Z', end: '2026-01-03T12:00:00.000Z', trend },
    ];
    const { data } = await inProcessSubgraph(makeSubgraph(revenue, service.dependencies)).execute(
      document,
      { window },
      service.context.principal,
    );
    expect(data).toEqual({
      _entities: [
        {
          marginTrend: {
            granularity: 'daily',
            dataPoints: [
              { date: '2026-01-02', revenue: '1', cost: '0.5', marginAmount: '0.5', marginPercent: 50 },
              { date: '2026-01-03', revenue: '0.5', cost: '0', marginAmount: '0.5', marginPercent: 100 },
            ],
          },
        },
      ],
    });
  });

  describe('over time, next to costs in the buckets of attribution', () => {
    const point = (date: string, cost: string) => ({ date, cost });
    const series = (...dataPoints: { date: string; cost: string }[]) => [{ dataPoints }];
    const TREND = `query ($window: [_Any!]!) { _entities(representations: $window) { ... on Window {
      marginTrend { granularity dataPoints { date revenue cost } } } } }`;
    const askTrend = (start: string, end: string, costs: readonly { dataPoints: readonly unknown[] }[]) =>
      inProcessSubgraph(makeSubgraph(revenue, service.dependencies)).execute(
        TREND,
        { window: [{ __typename: 'Window', start, end, trend: { granularity: 'weekly', series: costs } }] },
        service.context.principal,
      );

    it('loses no cost of a window that is a microsecond longer than 30 days', async () => {
      const weeks = ['2025-12-29', '2026-01-05', '2026-01-12', '2026-01-19', '2026-01-26'];
      const costs = weeks.map((date, index) => point(date, String(index + 1)));
      const { data, errors } = await askTrend('2026-01-01', '2026-01-31T00:00:00.000001Z', series(...costs));
      expect(errors).toBeUndefined();
      expect(data).toEqual({
        _entities: [
          { marginTrend: { granularity: 'weekly', dataPoints: costs.map((cost) => ({ ...cost, revenue: '0' })) } },
        ],
      });
    });

    it.each([
      ['none at all', []],
      ['one day missing', series(point('2026-01-01', '1'))],
      ['another day', series(point('2026-01-01', '1'), point('2026-01-03', '1'))],
      ['a day too many', series(point('2026-01-01', '1'), point('2026-01-02', '1'), point('2026-01-03', '1'))],
    ])('fails rather than treat a missing cost as 0: %s', async (_, costs) => {
      const { data, errors } = await askTrend('2026-01-01', '2026-01-03', costs);
      expect(data).toEqual({ _entities: [{ marginTrend: null }] });
      expect(errors).toHaveLength(1);
    });

    it('both have the same dates, whatever the window', async () => {
      await fc.assert(
        fc.asyncProperty(aWindow, async (window) => {
          const costs = trendSeries('total', 'Total', trendBuckets(window).buckets, []).dataPoints;
          const text = costs.map(({ date }) => point(date, '0'));
          const { data, errors } = await askTrend(window.start.iso, window.end.iso, series(...text));
          expect(errors).toBeUndefined();
          expect(data).toMatchObject({ _entities: [{ marginTrend: { dataPoints: text } }] });
        }),
        { seed: 30, ...runs(15, { nightly: 200 }) },
      );
    });
  });

  describe('of a window that ends in the future', () => {
    /** By now, a third of January's revenue has been recognized. */
    const NOW = '2026-01-11T00:00:00.000Z';
    beforeEach(async () => {
      const { account } = service.standIn;
      const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
      const eve = addCustomer(account, { metadata: { user_id: 'eve' } });
      addInvoice(account, { customer: ada, lines: [{ amount: 3_100, ...month }] });
      addInvoice(account, { customer: eve, lines: [{ amount: 6_200, ...month }] });
      await service.connect();
      await service.sync();
    });
    const askNow = async (document: string, representation: object) => {
      const { data, errors } = await inProcessSubgraph(makeSubgraph(revenue, service.dependencies)).execute(
        `query ($it: [_Any!]!) { _entities(representations: $it) { ${document} } }`,
        { it: [representation] },
        { ...service.context.principal, requestedAt: NOW },
      );
      expect(errors).toBeUndefined();
      return (data as { _entities: [Record<string, any>] })._entities[0];
    };
    const window = () => ({
      __typename: 'Window',
      ...JANUARY,
      endUserCostLines: costLines(service.organizationId, { ada: '4', eve: '5' }, '0'),
    });

    it('compares revenue and cost up to now, and says so', async () => {
      const { margin } = await askNow(
        '... on Window { margin { total { totalRevenue totalCost marginAmount } warnings { type count message } } }',
        window(),
      );
      expect(margin).toEqual({
        total: { totalRevenue: '30', totalCost: '9', marginAmount: '21' },
        warnings: [{ type: 'window_ends_in_future', count: 1, message: expect.stringContaining(NOW) }],
      });
    });

    it('includes future revenue if requested, as in the contract', async () => {
      const { margin } = await askNow(
        '... on Window { margin(throughEnd: true) { total { totalRevenue } warnings { type } } }',
        window(),
      );
      expect(margin).toEqual({ total: { totalRevenue: '93' }, warnings: [] });
    });

    it('over time has no future revenue', async () => {
      const dates = ['2025-12-29', '2026-01-05', '2026-01-12', '2026-01-19', '2026-01-26'];
      const trend = { granularity: 'weekly', series: [{ dataPoints: dates.map((date) => ({ date, cost: '1' })) }] };
      const { marginTrend } = await askNow('... on Window { marginTrend { dataPoints { revenue cost } } }', {
        ...window(),
        trend,
      });
      expect(marginTrend.dataPoints.map(({ revenue: earned }: { revenue: string }) => earned)).toEqual([
        '12',
        '18',
        '0',
        '0',
        '0',
      ]);
    });

    it('the margin of one end user is next to its costs, bucket by bucket', async () => {
      const overTime = {
        __typename: 'EndUserOverTime',
        externalId: 'ada',
        start: '2025-12-31T12:00:00.000Z',
        end: '2026-03-01T00:00:00.000Z',
        granularity: 'MONTH',
        costLine: ['0.5', '4', '0'],
      };
      const point = '... on EndUserOverTime { margins { start revenue cost marginAmount marginPercent } }';
      expect((await askNow(point, overTime))['margins']).toEqual([
        { start: '2025-12-01T00:00:00.000Z', revenue: '0', cost: '0.5', marginAmount: '-0.5', marginPercent: null },
        { start: '2026-01-01T00:00:00.000Z', revenue: '10', cost: '4', marginAmount: '6', marginPercent: 60 },
        { start: '2026-02-01T00:00:00.000Z', revenue: '0', cost: '0', marginAmount: '0', marginPercent: null },
      ]);
      const whole = {
        ...overTime,
        externalId: 'eve',
        end: JANUARY.end,
        granularity: 'WEEK',
        costLine: Array(5).fill('1'),
      };
      expect((await askNow(point, whole))['margins'].map(({ revenue: earned }: { revenue: string }) => earned)).toEqual(
        ['8', '12', '0', '0', '0'],
      );
    });
  });

  it('follows a link, including for the past, and its removal', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'old-name' } });
    const twin = addCustomer(account, { metadata: { user_id: 'ada' } });
    addSubscription(account, { customer: ada, id: 'sub_ada' });
    addInvoice(account, { customer: ada, lines: [{ amount: 1_000, ...month }] });
    addInvoice(account, { customer: twin, lines: [{ amount: 200, ...month }] });
    await service.connect();
    await service.sync();
    const execute = (document: string) =>
      inProcessSubgraph(makeSubgraph(revenue, service.dependencies)).execute(document, {}, service.context.principal);
    expect(
      (
        await execute(
          `mutation { revenueCustomerLink(input: { customerId: "${ada}", endUserExternalId: "ada" }) { customer { linkedExternalId metadataExternalId } userErrors { message } } }`,
        )
      ).data,
    ).toEqual({
      revenueCustomerLink: { customer: { linkedExternalId: 'ada', metadataExternalId: 'old-name' }, userErrors: [] },
    });
    const earned = async () =>
      (await service.margin(JANUARY, { ada: '1' })).endUsers.map(({ revenue: sum }) => plain(sum));
    expect(await earned()).toEqual(['12']);
    updateCustomer(account, ada, { metadata: { user_id: 'third-name' } });
    await service.sync();
    expect(await earned()).toEqual(['12']);
    expect(
      (
        await execute(
          '{ revenueMappingConflicts { nodes { externalId customerIds message } } billingSubscription(subscriptionId: "sub_ada") { endUser { externalId } } }',
        )
      ).data,
    ).toEqual({
      revenueMappingConflicts: {
        nodes: [
          {
            externalId: 'ada',
            customerIds: [ada, twin].sort(),
            message:
              '2 customers are linked to this end user: their revenue is added up; a link contradicts the metadata of a customer: the link takes precedence',
          },
        ],
      },
      billingSubscription: { endUser: { externalId: 'ada' } },
    });
    await execute(
      `mutation { revenueCustomerUnlink(input: { customerId: "${ada}" }) { customer { id } userErrors { message } } }`,
    );
    expect(await earned()).toEqual(['2']);
    expect((await execute('{ billingSubscription(subscriptionId: "sub_unknown") { id } }')).errors?.[0]).toMatchObject({
      extensions: { code: 'NOT_FOUND' },
      message: 'Unknown subscription_id',
    });
    expect(
      (
        await execute(
          'mutation { revenueCustomerLink(input: { customerId: "cus_x", endUserExternalId: "ada" }) { customer { id } userErrors { code } } }',
        )
      ).data,
    ).toEqual({ revenueCustomerLink: { customer: null, userErrors: [{ code: 'NOT_FOUND' }] } });
  });

  it.each([
    ['2026-01-31', '2027-01-31', undefined],
    ['2026-01-31', '2027-01-31T00:00:00.001Z', 'UNPROCESSABLE_ENTITY'],
    ['2028-02-29', '2029-02-28', undefined],
    ['2028-02-29', '2029-03-01', 'UNPROCESSABLE_ENTITY'],
    ['2026-02-01', '2026-01-01', 'VALIDATION_ERROR'],
  ])('a margin from %s to %s', async (start, end, code) => {
    const total =
      'query ($window: [_Any!]!) { _entities(representations: $window) { ... on Window { margin { total { totalRevenue } } } } }';
    expect((await ask({ start, end }, {}, '0', undefined, total)).errors?.[0]?.extensions?.['code']).toBe(code);
  });

  it('needs its scope', async () => {
    expect((await ask(JANUARY, {}, '0', ['costs:read'])).errors?.[0]).toMatchObject({
      extensions: { code: 'FORBIDDEN' },
    });
  });
});
