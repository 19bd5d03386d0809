/** Lists of the processor's objects, page by page: no page is missing or repeated, and the totals match. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageInput } from '#kernel/page-cursor.ts';
import { addCustomer, find, put } from '../../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import { findSubscription } from '../../../../subgraphs/revenue/customers/find-subscription.operation.ts';
import { listBillingCustomers } from '../../../../subgraphs/revenue/customers/list-billing-customers.operation.ts';
import { listBillingSubscriptions } from '../../../../subgraphs/revenue/customers/list-billing-subscriptions.operation.ts';
import { listSetAsideObjects } from '../../../../subgraphs/revenue/set-aside/list-set-aside-objects.operation.ts';
import { at, type RevenueService, startRevenue } from '../revenue-builder.ts';

let service: RevenueService;
let customers: string[];

beforeAll(async () => {
  service = await startRevenue();
  const { account } = service.standIn;
  customers = ['ada', null, 'bob', null, 'cyd'].map((user, index) =>
    addCustomer(account, { name: `Customer ${index}`, ...(user === null ? {} : { metadata: { user_id: user } }) }),
  );
  for (const [index, customer] of [customers[0], customers[0], customers[1], 'cus_unseen'].entries()) {
    put(
      account,
      'subscriptions',
      { id: `sub_${index}`, object: 'subscription', customer, status: 'active', created: 1_767_225_600 + index },
      null,
    );
  }
  for (const customer of customers.slice(0, 3)) {
    const line = { amount: 100, start: at('2026-01-01T00:00:00Z'), end: at('2026-02-01T00:00:00Z') };
    const invoice = addInvoice(account, { customer, lines: [line] });
    account.lines.set(
      invoice,
      account.lines.get(invoice)!.map((kept) => ({ ...kept, period: null })),
    );
    put(account, 'invoices', { ...find(account, 'invoices', invoice) }, null);
  }
  await service.connect();
  await service.sync();
});
afterAll(() => service.close());

interface Listed<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly totalCount: number;
}

/** Keys from all pages of two items each. */
async function idsOf<Node>(list: (page: PageInput) => Promise<Listed<Node>>, keyOf: (node: Node) => string) {
  const ids: string[] = [];
  for (let after: string | null = null; ;) {
    const { nodes, pageInfo, totalCount } = await list({ first: 2, after });
    ids.push(...nodes.map(keyOf));
    if (!pageInfo.hasNextPage) {
      expect(ids.length).toBe(totalCount);
      return ids;
    }
    after = pageInfo.endCursor;
  }
}

test('customers are listed by id: all of them, or only unmatched ones', async () => {
  const list = (unmapped: boolean) =>
    idsOf(
      (page) => listBillingCustomers(service.context, { ...page, unmapped }),
      ({ customerId }) => customerId,
    );
  expect(await list(false)).toEqual(customers.toSorted());
  expect(await list(true)).toEqual([customers[1]!, customers[3]!].toSorted());
});

test('subscriptions are listed newest first: all, or those of one customer', async () => {
  const list = (customerId: string | null) =>
    idsOf(
      (page) => listBillingSubscriptions(service.context, { ...page, customerId }),
      ({ subscriptionId }) => subscriptionId,
    );
  expect(await list(null)).toEqual(['sub_3', 'sub_2', 'sub_1', 'sub_0']);
  expect(await list(customers[0]!)).toEqual(['sub_1', 'sub_0']);
  expect(await findSubscription(service.context, 'sub_0')).toMatchObject({
    subscriptionId: 'sub_0',
    status: 'active',
    createdAt: '2026-01-01T00:00:00.000Z',
    endUser: { externalId: 'ada' },
    customer: { customerId: customers[0], name: 'Customer 0' },
  });
  expect(await findSubscription(service.context, 'sub_3')).toMatchObject({ endUser: null, customer: null });
});

test('objects that are set aside are listed', async () => {
  expect(
    await idsOf(
      (page) => listSetAsideObjects(service.context, page),
      ({ id }) => id,
    ),
  ).toHaveLength(3);
});

test.each([{ first: 0 }, { first: 201 }, { first: 1, after: 'odd' }])('%j is not a valid page', async (page) => {
  const refused = { code: 'VALIDATION_ERROR' };
  await expect(listBillingCustomers(service.context, { ...page, unmapped: false })).rejects.toMatchObject(refused);
  await expect(listBillingSubscriptions(service.context, page)).rejects.toMatchObject(refused);
  await expect(listSetAsideObjects(service.context, page)).rejects.toMatchObject(refused);
});
