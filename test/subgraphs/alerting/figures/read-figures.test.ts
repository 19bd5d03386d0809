/** Figures that alerts read from the graph: pages, sums, and what is not settled yet. */
import { expect, it } from 'vitest';
import { findUnsettled, readCustomers } from '../../../../subgraphs/alerting/figures/customer-figures.step.ts';
import { LIVE, readLiveFigures } from '../../../../subgraphs/alerting/figures/live-figures.step.ts';

const WINDOW = { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' };
const ALL = { unpriced: true, credits: true, connection: true, catalogue: true };
const answering = (answers: (document: unknown, variables: any) => object) =>
  ((document: unknown, variables: object) => Promise.resolve(answers(document, variables))) as never;

it.each([
  [0, 0, [], null],
  [1, 0, [], '1 event is still being priced'],
  [0, 1, [], '1 event is still being priced'],
  [600, 600, [{ type: 'x', message: 'No' }], '1,200 events are still being priced'],
  [0, 0, [{ type: 'x', message: 'A source is late' }], 'A source is late'],
])('%i events of this month and %i of the last one wait, with %j: %s', async (one, other, warnings, expected) => {
  const pending = (count: number) => ({ statusCounts: { pending: count } });
  const read = answering(() => ({ window: { warnings }, thisMonth: pending(one), lastMonth: pending(other) }));
  expect(await findUnsettled(read, WINDOW)).toBe(expected);
});

it.each([
  [{ failed: 0, pendingRateCard: 0, pending: 5 }, 0],
  [{ failed: 1, pendingRateCard: 0, pending: 0 }, 1],
  [{ failed: 0, pendingRateCard: 1, pending: 0 }, 1],
  [undefined, 0],
])('events without a price are read only if there are some: %j', async (statusCounts, count) => {
  const group = { cause: '', provider: 'openai', model: 'm', reason: 'no rate', events: 1, firstAt: '1', lastAt: '2' };
  const live = statusCounts === undefined ? {} : { costSummary: { statusCounts } };
  const read = answering((document) => (document === LIVE ? live : { costingHealth: { unpriced: [group] } }));
  expect((await readLiveFigures(read, ALL)).unpriced).toHaveLength(count);
});

it('events without a price are added up by provider and model', async () => {
  const group = (provider: string | null, reason: string, events: number, firstAt: string, lastAt: string) => ({
    cause: '',
    provider,
    model: 'm',
    reason,
    events,
    firstAt,
    lastAt,
  });
  const unpriced = [
    group('openai', 'no rate', 2, '2026-11-02', '2026-11-05'),
    group('openai', 'no tier', 3, '2026-11-01', '2026-11-04'),
    group('openai', 'no rate', 4, '2026-11-03', '2026-11-06'),
    group(null, 'no rate', 7, '2026-11-07', '2026-11-07'),
  ];
  const counts = { failed: 0, pendingRateCard: 16, pending: 0 };
  const read = answering((document) =>
    document === LIVE ? { costSummary: { statusCounts: counts } } : { costingHealth: { unpriced } },
  );
  expect((await readLiveFigures(read, ALL)).unpriced).toEqual([
    {
      provider: 'openai',
      model: 'm',
      reasons: ['no rate', 'no tier'],
      events: 9,
      firstAt: '2026-11-01',
      lastAt: '2026-11-06',
    },
    { provider: null, model: 'm', reasons: ['no rate'], events: 7, firstAt: '2026-11-07', lastAt: '2026-11-07' },
  ]);
});

it.each([
  [1_000, 3],
  [3, 3],
  [2, 2],
  [1, 1],
])('customers are read page by page, until there are %i', async (customersMax, count) => {
  const total = { totalCost: '6', totalRevenue: '9', marginAmount: '3', marginPercent: 33.33 };
  const names = ['a', 'b', 'c'];
  const read = answering((_, { after }) => {
    const at = after === null ? 0 : Number(after);
    const node = {
      endUserId: names[at],
      endUser: { externalId: names[at] },
      endUserName: names[at],
      cost: '2',
      revenue: '3',
      marginAmount: '1',
      marginPercent: 33.33,
    };
    const pageInfo = { hasNextPage: at < 2, endCursor: String(at + 1) };
    return { window: { margin: { total, endUsers: { nodes: [node], pageInfo } } } };
  });
  const found = await readCustomers(read, WINDOW, customersMax);
  expect(found.customers.map(({ externalId }) => externalId)).toEqual(names.slice(0, count));
  expect(found.total).toEqual({ cost: '6', revenue: '9', margin: '3', marginPercent: 33.33 });
});
