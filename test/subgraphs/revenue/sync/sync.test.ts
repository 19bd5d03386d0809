import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { addCustomer, addSubscription, find, put } from '../../../../packages/stripe-stand-in/account.ts';
import {
  addInvoice,
  addPayment,
  changeLine,
  linesOf,
  removeLine,
  voidInvoice,
} from '../../../../packages/stripe-stand-in/invoices.ts';
import {
  addCreditNote,
  addDispute,
  addRefund,
  closeDispute,
  setRefundStatus,
  voidCreditNote,
} from '../../../../packages/stripe-stand-in/reversals.ts';
import { at, type RevenueService, startRevenue } from '../revenue-builder.ts';

const JANUARY = { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' };
const month = { start: at('2026-01-01T00:00:00Z'), end: at('2026-02-01T00:00:00Z') };

let service: RevenueService;
beforeEach(async () => {
  service = await startRevenue();
});
afterEach(() => service.close());

async function revenueOf(externalId: string): Promise<string | undefined> {
  const { endUsers } = await service.margin(JANUARY, { [externalId]: '1' });
  const found = endUsers.find((endUser) => endUser.externalId === externalId);
  return found && plain(found.revenue);
}

describe('a sync', () => {
  it('creates a record for every line of a paid invoice, and for no other invoice', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { name: 'Ada', metadata: { user_id: 'ada' } });
    addSubscription(account, { customer: ada, id: 'sub_ada' });
    addInvoice(account, {
      customer: ada,
      lines: [
        { amount: 10_000, ...month },
        { amount: -2_500, ...month, proration: true },
      ],
    });
    addInvoice(account, { customer: ada, status: 'open', lines: [{ amount: 77_700, ...month }] });
    await service.connect();
    expect(await service.sync()).toEqual({ created: 2, updated: 0, skipped: 0, subscriptions: 1 });
    expect(await revenueOf('ada')).toBe('75');
    expect(await service.sync()).toEqual({ created: 0, updated: 0, skipped: 2, subscriptions: 1 });
    expect(await revenueOf('ada')).toBe('75');
  });

  it('counts the amount after discounts and used credit grants, without tax', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    addInvoice(account, {
      customer: ada,
      lines: [
        { amount: 10_000, ...month, discount: 1_000, exclusiveTax: 1_710 },
        { amount: 12_000, ...month, inclusiveTax: 2_000 },
        { amount: 5_000, ...month, creditGrant: 4_000 },
      ],
    });
    await service.connect();
    await service.sync();
    expect(await revenueOf('ada')).toBe('200');
  });

  it('reads all lines of invoices with more than a hundred', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    addInvoice(account, { customer: ada, lines: Array.from({ length: 345 }, () => ({ amount: 100, ...month })) });
    await service.connect();
    expect((await service.sync()).created).toBe(345);
    expect(await revenueOf('ada')).toBe('345');
    expect((await service.sync()).skipped).toBe(345);
  });

  it('stores other currencies, excludes them and reports them', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    addInvoice(account, { customer: ada, currency: 'jpy', lines: [{ amount: 1_250, ...month }] });
    addInvoice(account, { customer: ada, currency: 'kwd', lines: [{ amount: 1_250, ...month }] });
    addInvoice(account, { customer: ada, lines: [{ amount: 1_250, ...month }] });
    await service.connect();
    await service.sync();
    expect(await revenueOf('ada')).toBe('12.5');
    expect(await service.rows('select currency, amount::text from revenue_record order by currency')).toEqual([
      { currency: 'jpy', amount: '1250.000000000000000' },
      { currency: 'kwd', amount: '1.250000000000000' },
      { currency: 'usd', amount: '12.500000000000000' },
    ]);
    expect(await service.rows('select records_in_other_currencies as count from sync_run')).toEqual([{ count: 2 }]);
  });

  it('corrects a changed and a voided invoice by appending differences', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    const invoice = addInvoice(account, {
      customer: ada,
      lines: [
        { amount: 10_000, ...month },
        { amount: 500, ...month },
      ],
    });
    await service.connect();
    await service.sync();
    const [first, second] = linesOf(account, invoice).map(({ id }) => id) as [string, string];
    changeLine(account, first, { amount: 12_000 });
    expect(await service.sync()).toMatchObject({ created: 0, updated: 1, skipped: 1 });
    expect(await revenueOf('ada')).toBe('125');
    changeLine(account, first, { period: { start: month.start, end: month.end + 31 * 86_400 } });
    await service.sync();
    expect(await revenueOf('ada')).toBe('65');
    removeLine(account, invoice, second);
    await service.sync();
    expect(await revenueOf('ada')).toBe('60');
    voidInvoice(account, invoice);
    await service.sync();
    expect(await revenueOf('ada')).toBe('0');
    const entries = await service.rows<{ amount: string; records: number }>(
      'select amount::float8::text as amount, records from revenue_record where line_id = $1 order by sequence',
      [first],
    );
    expect(entries).toEqual([
      { amount: '100', records: 1 },
      { amount: '20', records: 0 },
      { amount: '-120', records: -1 },
      { amount: '120', records: 1 },
      { amount: '-120', records: -1 },
    ]);
  });

  it('distributes refunds over the lines by amount, to the cent, over the same period', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    const invoice = addInvoice(account, {
      customer: ada,
      lines: [
        { amount: 1_000, ...month },
        { amount: 1_000, ...month },
        { amount: 1_000, ...month },
      ],
    });
    addRefund(account, { invoice, amount: 1_000 });
    await service.connect();
    await service.sync();
    const refunds = await service.rows<{ amount: string }>(
      "select amount::float8::text as amount from revenue_record where kind = 'refund' order by position",
    );
    expect(refunds.map(({ amount }) => amount)).toEqual(['-3.34', '-3.33', '-3.33']);
    expect(await revenueOf('ada')).toBe('20');
    addRefund(account, { invoice, amount: 2_000 });
    await service.sync();
    expect(await revenueOf('ada')).toBe('0');
  });

  it('counts a refund that succeeds later, and restores it if it fails', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    const invoice = addInvoice(account, { customer: ada, lines: [{ amount: 1_000, ...month, exclusiveTax: 200 }] });
    const refund = addRefund(account, { invoice, amount: 1_200, status: 'pending' });
    await service.connect();
    await service.sync();
    expect(await revenueOf('ada')).toBe('10');
    setRefundStatus(account, refund, 'succeeded');
    await service.sync();
    expect(await revenueOf('ada')).toBe('0');
    setRefundStatus(account, refund, 'failed');
    await service.sync();
    expect(await revenueOf('ada')).toBe('10');
  });

  it('counts a refund that belongs to a credit note once', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    const invoice = addInvoice(account, {
      customer: ada,
      lines: [
        { amount: 1_000, ...month },
        { amount: 4_000, ...month },
      ],
    });
    const refund = addRefund(account, { invoice, amount: 700 });
    const [line] = linesOf(account, invoice);
    const note = addCreditNote(account, {
      invoice,
      credits: [{ line: line?.id ?? null, amount: 500 }],
      refund,
      refundAmount: 500,
    });
    await service.connect();
    await service.sync();
    expect(await revenueOf('ada')).toBe('43');
    voidCreditNote(account, note);
    await service.sync();
    expect(await revenueOf('ada')).toBe('43');
    expect(
      await service.rows(
        "select kind, sum(amount)::float8 as amount from revenue_record where kind <> 'invoice_line' group by kind order by kind",
      ),
    ).toEqual([
      { kind: 'credit_note', amount: 0 },
      { kind: 'refund', amount: -7 },
    ]);
  });

  it('divides the refund of a payment among the invoices it paid', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    for (const amount of [3_000, 7_000]) {
      const invoice = addInvoice(account, { customer: ada, status: 'open', lines: [{ amount, ...month }] });
      addPayment(account, invoice, 'pi_shared', amount);
      put(account, 'invoices', { ...find(account, 'invoices', invoice), status: 'paid' }, 'invoice.paid');
    }
    addRefund(account, { paymentIntent: 'pi_shared', amount: 5_000 });
    await service.connect();
    await service.sync();
    expect(
      await service.rows("select amount::float8 from revenue_record where kind = 'refund' order by amount"),
    ).toEqual([{ amount: -35 }, { amount: -15 }]);
    expect(await revenueOf('ada')).toBe('50');
  });

  it('subtracts a dispute once it is lost', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    const lost = addDispute(account, {
      invoice: addInvoice(account, { customer: ada, lines: [{ amount: 1_000, ...month }] }),
      amount: 1_000,
    });
    const won = addDispute(account, {
      invoice: addInvoice(account, { customer: ada, lines: [{ amount: 2_000, ...month }] }),
      amount: 2_000,
    });
    await service.connect();
    await service.sync();
    expect(await revenueOf('ada')).toBe('30');
    closeDispute(account, lost, 'lost');
    closeDispute(account, won, 'won');
    await service.sync();
    expect(await revenueOf('ada')).toBe('20');
  });
});
