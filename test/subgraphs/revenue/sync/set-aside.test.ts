import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { addCustomer, find, put } from '../../../../packages/stripe-stand-in/account.ts';
import { junk } from '../../../../packages/stripe-stand-in/faults.ts';
import { addInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import { addDispute, addRefund } from '../../../../packages/stripe-stand-in/reversals.ts';
import { listSetAsideObjects } from '../../../../subgraphs/revenue/set-aside/list-set-aside-objects.operation.ts';
import { compareCostAndRevenue } from '../../../../subgraphs/revenue/margin/compare-cost-and-revenue.operation.ts';
import { at, costLines, type RevenueService, startRevenue } from '../revenue-builder.ts';

const JANUARY = { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' };
const month = { start: at(JANUARY.start), end: at(JANUARY.end) };

let service: RevenueService;
beforeEach(async () => {
  service = await startRevenue();
});
afterEach(() => service.close());

/** One USD invoice of 100 for Ada. */
function invoiceOf(amount: number, more: { currency?: string; lines?: number } = {}): string {
  const { account } = service.standIn;
  account.now += 60;
  const customer = addCustomer(account, { metadata: { user_id: 'ada' } });
  const lines = Array.from({ length: more.lines ?? 1 }, () => ({ amount, ...month }));
  return addInvoice(account, { customer, lines, ...(more.currency ? { currency: more.currency } : {}) });
}

/** Changes an invoice line at the processor. */
function spoil(invoice: string, line: number, change: object): void {
  const { account } = service.standIn;
  const lines = account.lines.get(invoice)!;
  account.lines.set(invoice, lines.with(line, { ...lines[line]!, ...change }));
  put(account, 'invoices', { ...find(account, 'invoices', invoice) }, null);
}

async function revenue(): Promise<string> {
  return plain((await service.margin(JANUARY, { ada: '1' })).totalRevenue);
}

async function warnings(): Promise<unknown[]> {
  const margin = await compareCostAndRevenue(service.context, parseWindow(JANUARY), {
    costs: costLines(service.organizationId, { ada: '1' }, '0'),
    throughEnd: true,
  });
  return margin.warnings.map(({ type, count, message }) => [type, count, message]);
}

const aside = async () => (await listSetAsideObjects(service.context, { first: 100 })).nodes;

describe('an object that cannot be read', () => {
  it('is set aside whole with its reason, and the others are booked', async () => {
    invoiceOf(10_000);
    const poison = invoiceOf(10_000, { lines: 2 });
    invoiceOf(10_000);
    spoil(poison, 1, { period: null });
    await service.connect();
    await service.sync();
    expect(await revenue()).toBe('200');
    expect(await aside()).toEqual([
      {
        kind: 'INVOICE',
        id: poison,
        cause: 'UNREADABLE',
        reason: expect.stringMatching(/not a line of an invoice .*period/),
        firstSeenAt: expect.any(String),
        lastSeenAt: expect.any(String),
      },
    ]);
    expect(await warnings()).toEqual([['revenue_set_aside', 1, expect.stringContaining('invoice: 1')]]);
    const [first] = await aside();
    await service.sync();
    expect((await aside())[0]).toMatchObject({ firstSeenAt: first!.firstSeenAt });

    spoil(poison, 1, { period: month });
    await service.sync();
    expect(await revenue()).toBe('400');
    expect(await aside()).toEqual([]);
    expect(await warnings()).toEqual([]);
  });

  it("on a later page of an invoice's lines leaves nothing of it behind", async () => {
    const poison = invoiceOf(100, { lines: 250 });
    spoil(poison, 240, { amount: 1.5 });
    await service.connect();
    await service.sync();
    expect(await revenue()).toBe('0');
    expect(await aside()).toMatchObject([{ kind: 'INVOICE', id: poison }]);
    spoil(poison, 240, { amount: 100 });
    await service.sync();
    expect(await revenue()).toBe('250');
    expect(await aside()).toEqual([]);
  });

  it.each<[string, object]>([
    ['a line in another currency', { currency: 'eur' }],
    ['more than the ledger holds', { amount: 9_000_000_000_000_000 }],
    ['an id that no text column keeps', { id: 'il_\0' }],
  ])('because it has %s does not block others', async (_, change) => {
    invoiceOf(10_000);
    spoil(invoiceOf(10_000), 0, change);
    await service.connect();
    await service.sync();
    expect(await revenue()).toBe('100');
    expect(await aside()).toMatchObject([{ kind: 'INVOICE' }]);
  });

  it('leaves the list once a full run does not find it any more', async () => {
    invoiceOf(10_000);
    await service.connect();
    service.standIn.faults.push(
      junk(1, { object: 'list', has_more: false, data: [{ id: 'in_x', lines: 7 }, null] }, { path: '/v1/invoices' }),
    );
    await service.sync();
    expect((await aside()).map(({ id }) => id).sort()).toEqual(['(without an id)', 'in_x']);
    await service.sync();
    expect(await revenue()).toBe('100');
    expect(await aside()).toEqual([]);
  });
});

describe('an object in another currency', () => {
  it('is named by the margin', async () => {
    invoiceOf(10_000, { currency: 'eur' });
    invoiceOf(10_000, { currency: 'eur' });
    invoiceOf(500, { currency: 'jpy' });
    await service.connect();
    await service.sync();
    expect(await revenue()).toBe('0');
    expect(await warnings()).toEqual([
      ['revenue_in_other_currencies', 3, '3 revenue records are not in USD and in no figure: 2 in EUR, 1 in JPY.'],
    ]);
  });

  it('does not reduce an invoice in USD', async () => {
    const { account } = service.standIn;
    const invoice = invoiceOf(10_000);
    const dispute = addDispute(account, { invoice, amount: 15_000, status: 'lost' });
    const refund = addRefund(account, { invoice, amount: 1_000 });
    put(account, 'disputes', { ...find(account, 'disputes', dispute), currency: 'jpy' }, null);
    await service.connect();
    await service.sync();
    expect(await revenue()).toBe('90');
    expect(await aside()).toMatchObject([{ kind: 'DISPUTE', id: dispute, cause: 'OTHER_CURRENCY' }]);
    expect((await aside())[0]?.reason).toMatch(/JPY.*USD/);
    put(account, 'refunds', { ...find(account, 'refunds', refund), currency: 'eur' }, null);
    put(account, 'disputes', { ...find(account, 'disputes', dispute), currency: 'usd', amount: 500 }, null);
    await service.sync();
    expect(await revenue()).toBe('95');
    expect(await aside()).toMatchObject([{ kind: 'REFUND', id: refund, cause: 'OTHER_CURRENCY' }]);
  });
});
