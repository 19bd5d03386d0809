import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { addCustomer, find, put } from '../../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import { query } from '#platform/database/sql.ts';
import { eraseRevenueEndUser } from '../../../../subgraphs/revenue/erasure/erase-revenue-end-user.operation.ts';
import { linkRevenueCustomer } from '../../../../subgraphs/revenue/customers/link-revenue-customer.operation.ts';
import { at, type RevenueService, startRevenue } from '../revenue-builder.ts';

const JANUARY = { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' };
const PSEUDONYM = `erased-${'0'.repeat(32)}`;

let service: RevenueService;
beforeEach(async () => {
  service = await startRevenue();
});
afterEach(() => service.close());

describe('an end user that is erased', () => {
  it('is also erased from a customer that a sync step is currently writing', async () => {
    addCustomer(service.standIn.account, { name: 'Ada Byron', metadata: { user_id: 'ada' } });
    await service.connect();
    await service.sync();
    let erased: Promise<unknown> | undefined;
    await service.database.system(async (tx) => {
      await query(tx, 'update payment_connection set lease_until = now()');
      await query(
        tx,
        `insert into customer select (jsonb_populate_record(customer, '{"id": "cus_late"}')).* from customer as customer`,
      );
      erased = eraseRevenueEndUser(service.context, { externalId: 'ada', pseudonym: PSEUDONYM });
      await Promise.race([erased, service.untilOneWaits()]);
    });
    expect(await erased).toEqual({ customers: 2 });
  });

  it('is removed from a customer who was linked to somebody else, who keeps the name', async () => {
    const customer = addCustomer(service.standIn.account, { name: 'Bob Ltd', metadata: { user_id: 'ada' } });
    await service.connect();
    await service.sync();
    await linkRevenueCustomer(service.context, customer, 'bob');
    const erase = (externalId: string) => eraseRevenueEndUser(service.context, { externalId, pseudonym: PSEUDONYM });
    expect(await erase('ada')).toEqual({ customers: 0 });
    const { account } = service.standIn;
    put(account, 'customers', { ...find(account, 'customers', customer), name: 'Bob Inc' }, 'customer.updated');
    await service.sync();
    expect(await service.rows('select name, metadata_external_id, linked_external_id from customer')).toEqual([
      { name: 'Bob Inc', metadataExternalId: PSEUDONYM, linkedExternalId: 'bob' },
    ]);
    expect(await erase('bob')).toEqual({ customers: 1 });
  });

  it('keeps its revenue under the pseudonym, and no sync restores it', async () => {
    const { account } = service.standIn;
    const lines = [{ amount: 1_000, start: at(JANUARY.start), end: at(JANUARY.end) }];
    const own = addCustomer(account, { name: 'Ada Byron', metadata: { user_id: 'ada' } });
    const linked = addCustomer(account, { name: 'A. Byron', email: 'ada@example.com' });
    for (const customer of [own, linked]) addInvoice(account, { customer, lines });
    await service.connect();
    await service.sync();
    await linkRevenueCustomer(service.context, linked, 'ada');
    expect(await eraseRevenueEndUser(service.context, { externalId: 'ada', pseudonym: PSEUDONYM })).toEqual({
      customers: 2,
    });
    put(account, 'customers', { ...find(account, 'customers', own), name: 'Ada King' }, 'customer.updated');
    await service.sync();
    const margin = await service.margin(JANUARY, { [PSEUDONYM]: '1', ada: '0' });
    expect(margin.endUsers.map(({ name, revenue }) => [name, plain(revenue)])).toEqual([[PSEUDONYM, '20']]);
    const tables = ['customer', 'invoice', 'revenue_record', 'audit_record', 'subscription'];
    const stored = await Promise.all(
      tables.map((table) => service.rows<{ text: string }>(`select row_to_json(t)::text as text from ${table} t`)),
    );
    expect(
      stored
        .flat()
        .map(({ text }) => text)
        .join('\n'),
    ).not.toMatch(/(?<![0-9a-f])ada\b|Ada|Byron|King/);
    expect(await eraseRevenueEndUser(service.context, { externalId: 'ada', pseudonym: PSEUDONYM })).toEqual({
      customers: 0,
    });
  });
});
