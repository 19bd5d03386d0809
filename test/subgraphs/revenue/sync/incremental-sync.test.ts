import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import {
  addCustomer,
  addSubscription,
  deleteCustomer,
  updateCustomer,
} from '../../../../packages/stripe-stand-in/account.ts';
import { addCharge } from '../../../../packages/stripe-stand-in/payments.ts';
import { addInvoice, linesOf, payInvoice, voidInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import { down } from '../../../../packages/stripe-stand-in/faults.ts';
import {
  addCreditNote,
  addDispute,
  addRefund,
  closeDispute,
  setRefundStatus,
  voidCreditNote,
} from '../../../../packages/stripe-stand-in/reversals.ts';
import { at, KEY, type RevenueService, startRevenue } from '../revenue-builder.ts';

const JANUARY = { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' };
const month = { start: at(JANUARY.start), end: at(JANUARY.end) };
const WEEK = 7 * 86_400;

let service: RevenueService;
beforeEach(async () => {
  service = await startRevenue();
});
afterEach(() => service.close());

/** As if the account were so large that reading all of it took very many pages. */
async function makeLarge(): Promise<void> {
  await service.rows("update sync_run set pages = 5000 where mode = 'full'");
}

async function total(): Promise<string> {
  return plain((await service.margin(JANUARY, { ada: '1' })).totalRevenue);
}

describe('an incremental sync of a large account', () => {
  it('finds new objects and changes of old ones, and reads no list completely', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    const pay = (amount: number) => addInvoice(account, { customer: ada, lines: [{ amount, ...month }] });
    const [voided, refunded, credited, disputed, failing] = [pay(100), pay(200), pay(400), pay(800), pay(1_600)];
    const open = addInvoice(account, { customer: ada, status: 'open', lines: [{ amount: 3_200, ...month }] });
    const note = addCreditNote(account, {
      invoice: credited,
      credits: [{ line: linesOf(account, credited)[0]?.id ?? null, amount: 100 }],
    });
    const dispute = addDispute(account, { invoice: disputed, amount: 800 });
    const refund = addRefund(account, { invoice: failing, amount: 600 });
    account.now += 4 * WEEK;
    await service.connect();
    await service.sync();
    expect(await total()).toBe('24');
    await makeLarge();
    account.now += WEEK;
    voidInvoice(account, voided);
    addRefund(account, { invoice: refunded, amount: 200 });
    voidCreditNote(account, note);
    closeDispute(account, dispute, 'lost');
    setRefundStatus(account, refund, 'failed');
    payInvoice(account, open);
    addSubscription(account, { customer: ada, id: 'sub_new' });
    const requested = service.standIn.requests.length;
    expect(await service.sync()).toMatchObject({ subscriptions: 2 });
    expect(await service.rows('select mode from sync_run order by started_at')).toEqual([
      { mode: 'full' },
      { mode: 'incremental' },
    ]);
    expect(await total()).toBe('52');
    expect(
      service.standIn.requests
        .slice(requested)
        .filter((request) => request.startsWith('GET /v1/invoices?'))
        .every((request) => request.includes('created')),
    ).toBe(true);
  });

  it('follows customers: another user_id, and a deleted one', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'someone' } });
    addInvoice(account, { customer: ada, lines: [{ amount: 100, ...month }] });
    await service.connect();
    await service.sync();
    await makeLarge();
    account.now += WEEK;
    updateCustomer(account, ada, { metadata: { user_id: 'ada' } });
    await service.sync();
    expect((await service.margin(JANUARY, { ada: '1' })).endUsers.map(({ revenue }) => plain(revenue))).toEqual(['1']);
    deleteCustomer(account, ada);
    await service.sync();
    expect(await service.rows('select deleted, metadata_external_id from customer')).toEqual([
      { deleted: true, metadataExternalId: 'ada' },
    ]);
    expect((await service.margin(JANUARY, { ada: '1' })).endUsers.map(({ revenue }) => plain(revenue))).toEqual(['1']);
  });

  it('reads everything from then on if the key may not read events', async () => {
    const { account } = service.standIn;
    service.standIn.keys.set(KEY, ['events']);
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    const invoice = addInvoice(account, { customer: ada, lines: [{ amount: 100, ...month }] });
    await service.connect();
    await service.sync();
    await makeLarge();
    account.now += WEEK;
    voidInvoice(account, invoice);
    await service.sync();
    expect(await total()).toBe('0');
    await makeLarge();
    await service.sync();
    expect(await service.rows('select mode from sync_run')).toEqual([
      { mode: 'full' },
      { mode: 'full' },
      { mode: 'full' },
    ]);
    expect(await service.rows('select events_offered from payment_connection')).toEqual([{ eventsOffered: false }]);
  });

  it('uses the state from before it began for all its pages, even if the pages are weeks apart and it is interrupted after the first', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    const pay = () => addInvoice(account, { customer: ada, lines: [{ amount: 100, ...month }] });
    pay();
    await service.connect();
    await service.sync();
    await makeLarge();
    // There are no webhook events for them, only the lists contain them.
    account.keepEvents = false;
    for (let count = 0; count < 250; count++) {
      account.now += WEEK / 7;
      pay();
    }
    await service.step();
    service.standIn.faults.push({ ...down(1, { path: '/v1/invoices' }), onlyPagesAfterFirst: true });
    await service.sync();
    expect(await service.rows("select mode from sync_run where mode = 'incremental'")).toHaveLength(1);
    expect(await total()).toBe('251');
  });

  it('finds objects that appear late: created before the newest known one', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    const pay = (created: number) =>
      addInvoice(account, { customer: ada, created, lines: [{ amount: 100, ...month }] });
    account.now += WEEK;
    pay(account.now);
    await service.connect();
    await service.sync();
    await makeLarge();
    account.keepEvents = false;
    pay(account.now - 6 * 3_600);
    await service.sync();
    expect(await service.rows("select mode from sync_run where mode = 'incremental'")).toHaveLength(1);
    expect(await total()).toBe('2');
  });

  it('follows a charge without an invoice', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    addInvoice(account, { customer: ada, lines: [{ amount: 100, ...month }] });
    account.now = month.start + WEEK;
    await service.connect();
    await service.sync();
    await makeLarge();
    account.now += WEEK / 7;
    const paymentIntent = addCharge(account, { customer: ada, amount: 500 });
    await service.sync();
    expect(await total()).toBe('6');
    addRefund(account, { paymentIntent, amount: 200 });
    await service.sync();
    expect(await total()).toBe('4');
  });
});
