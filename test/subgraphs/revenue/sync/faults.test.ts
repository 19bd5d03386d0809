import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { plain } from '#kernel/money.ts';
import { addCustomer, deleteCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import {
  cutMidPage,
  doubledObjects,
  down,
  type Fault,
  junk,
  rateLimited,
  samePageAgain,
  serverError,
  slow,
} from '../../../../packages/stripe-stand-in/faults.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { addInvoice, payInvoice, voidInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import { addCreditNote, addRefund } from '../../../../packages/stripe-stand-in/reversals.ts';
import { syncRevenue } from '../../../../subgraphs/revenue/sync/sync-revenue.operation.ts';
import { at, KEY, type RevenueService, startRevenue } from '../revenue-builder.ts';
import { MINUTES } from '../../../support/patience.ts';

// Waits until an outage is noticed, and until it is over.
vi.setConfig(MINUTES);

const JANUARY = { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' };
const month = { start: at(JANUARY.start), end: at(JANUARY.end) };

let service: RevenueService;
beforeEach(async () => {
  service = await startRevenue();
});
afterEach(() => service.close());

/** 250 invoices of 1 USD, ten of them with a refund of 40 cents: three pages. */
function fill(): void {
  const { account } = service.standIn;
  const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
  for (let index = 0; index < 250; index++) {
    account.now += 60;
    const invoice = addInvoice(account, { customer: ada, lines: [{ amount: 100, ...month }] });
    if (index % 25 === 0) addRefund(account, { invoice, amount: 40 });
  }
}

async function total(): Promise<string> {
  return plain((await service.margin(JANUARY, { ada: '1' })).totalRevenue);
}

async function connectionError(): Promise<string | null | undefined> {
  return (await service.rows<{ lastError: string | null }>('select last_error from payment_connection'))[0]?.lastError;
}

describe('a step whose end cannot be written', () => {
  const rename = (from: string, to: string) =>
    withClient(service.database.target, (client) => client.query(`alter table ${from} rename to ${to}`));
  /** As if the database became unavailable while the processor responds. */
  const losingDatabase = (): Fault => ({
    times: 1,
    act: async ({ send, honest }) => {
      await rename('payment_connection', 'payment_connection_away');
      send(honest());
    },
  });

  it('is resumed by the same process at once', async () => {
    fill();
    await service.connect();
    service.standIn.faults.push(losingDatabase());
    await expect(service.step()).rejects.toThrow(/payment_connection/);
    await rename('payment_connection_away', 'payment_connection');
    expect((await service.sync()).created).toBe(260);
  });

  it('is left to others after two minutes, even by a process whose clock is an hour ahead', async () => {
    fill();
    await service.connect();
    service.standIn.faults.push(losingDatabase());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    try {
      await expect(service.step()).rejects.toThrow(/payment_connection/);
    } finally {
      vi.useRealTimers();
    }
    await rename('payment_connection_away', 'payment_connection');
    expect(
      await service.rows(
        "select lease_until between now() and now() + interval '121 seconds' as is_bounded from payment_connection",
      ),
    ).toEqual([{ isBounded: true }]);
  });
});

it('a sync requested by a process whose clock is an hour off is due at once', async () => {
  await service.connect();
  for (const hours of [1, -1]) {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
    try {
      await syncRevenue(service.context, 0, true).catch(() => {});
    } finally {
      vi.useRealTimers();
    }
    expect(
      await service.rows(
        "select due_at <= now() and requested_at between now() - interval '1 minute' and now() as is_due from payment_connection",
      ),
    ).toEqual([{ isDue: true }]);
  }
});

describe('the sync of a faulty processor', () => {
  it.each<[string, () => Fault, RegExp]>([
    ['is down', () => down(3), /cannot be reached/],
    ['answers 503', () => serverError(3), /cannot be reached/],
    ['asks us to come back later', () => rateLimited(3, 7), /limits requests/],
    ['is cut mid-page', () => cutMidPage(3), /cannot be reached/],
    [
      'is cut mid-page on later pages',
      () => cutMidPage(3, { path: '/v1/invoices', onlyPagesAfterFirst: true }),
      /cannot be reached/,
    ],
    ['sends a page of HTML', () => junk(3, '<html></html>'), /cannot be reached/],
    ['sends something other than a list', () => junk(3, { object: 'balance' }), /not a list/],
    ['sends the same page again', () => samePageAgain(3, { path: '/v1/invoices' }), /^$/],
    ['sends everything twice', () => doubledObjects(3, { path: '/v1/invoices' }), /^$/],
    ['is slow', () => slow(3, 30), /^$/],
  ])('of a processor that %s, nothing is lost or counted twice', async (_, fault, says) => {
    fill();
    await service.connect();
    service.standIn.faults.push(fault());
    const errors = new Set<string>();
    for (let steps = 0; steps < 60; steps++) {
      await service.step();
      errors.add((await connectionError()) ?? '');
      if ((await service.rows("select 1 from sync_run where state = 'finished'")).length > 0) break;
    }
    if (says.source !== '^$') expect([...errors].some((error) => says.test(error))).toBe(true);
    expect(await connectionError()).toBeNull();
    expect(await total()).toBe('246');
    expect((await service.sync()).skipped).toBe(260);
    expect(await total()).toBe('246');
  });

  it('a processor that fails for long is retried at growing intervals, at least as long as it requests', async () => {
    await service.connect();
    service.standIn.faults.push(serverError(3), rateLimited(1, 120), serverError(1));
    const rests: number[] = [];
    for (let steps = 0; steps < 5; steps++) {
      await service.step();
      const [row] = await service.rows<{ rest: number }>(
        'select round(extract(epoch from due_at - last_error_at))::int as rest from payment_connection',
      );
      rests.push(row?.rest ?? 0);
    }
    expect(rests).toEqual([2, 4, 8, 120, 32]);
  });

  it('a processor that no longer accepts the key is reported, and the sync continues when it does again', async () => {
    fill();
    await service.connect();
    await service.step();
    service.standIn.keys.delete(KEY);
    await service.step();
    expect(await connectionError()).toMatch(/rejected the key/);
    service.standIn.keys.set(KEY, []);
    await service.sync();
    expect(await total()).toBe('246');
  });

  it('a processor that has no credit notes, disputes or subscriptions at all is read without them, and the run reports it', async () => {
    fill();
    await service.connect();
    const unknown: Fault['act'] = ({ send }) =>
      send({ status: 404, body: { error: { type: 'invalid_request_error', message: 'Unrecognized request URL' } } });
    service.standIn.faults.push(
      ...['/v1/credit_notes', '/v1/disputes', '/v1/subscriptions'].map((path) => ({ times: 9, path, act: unknown })),
    );
    await service.sync();
    expect(await total()).toBe('246');
    expect(await service.rows('select notes from sync_run')).toEqual([
      {
        notes: ['subscriptions', 'credit_notes', 'disputes'].map(
          (list) => `The payment processor does not offer ${list}`,
        ),
      },
    ]);
  });
});

describe('a sync that was interrupted', () => {
  it('resumes at the page where it stopped, and shows its progress', async () => {
    fill();
    await service.connect();
    for (let steps = 0; steps < 4; steps++) await service.step();
    expect(await service.rows('select state, stage, pages, invoices, records_created from sync_run')).toEqual([
      { state: 'running', stage: 'invoices', pages: 4, invoices: 200, recordsCreated: 200 },
    ]);
    const before = service.standIn.requests.filter((request) => request.includes('/v1/invoices?')).length;
    await service.sync();
    expect(service.standIn.requests.filter((request) => request.includes('/v1/invoices?')).length).toBe(before + 1);
    expect(await total()).toBe('246');
  });

  it('starts the list again if the object it stopped at is gone', async () => {
    for (let index = 0; index < 150; index++) addCustomer(service.standIn.account, { id: `cus_${index}` });
    await service.connect();
    await service.step();
    const [run] = await service.rows<{ pageAfter: string }>('select page_after from sync_run');
    deleteCustomer(service.standIn.account, run?.pageAfter ?? '');
    await service.sync();
    expect(await service.rows('select count(*)::int as count from customer')).toEqual([{ count: 150 }]);
  });

  it('writes nothing once another process has taken over', async () => {
    fill();
    await service.connect();
    service.standIn.faults.push({
      times: 1,
      path: '/v1/customers',
      act: async ({ send, honest }) => {
        await service.rows('update payment_connection set lease_owner = gen_random_uuid()');
        send(honest());
      },
    });
    await service.step();
    expect(await service.rows('select count(*)::int as count from customer')).toEqual([{ count: 0 }]);
  });
});

describe('in any order', () => {
  it('a refund and a credit note that arrive before their invoice is paid count when it is', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { metadata: { user_id: 'ada' } });
    const invoice = addInvoice(account, { customer: ada, status: 'open', lines: [{ amount: 1_000, ...month }] });
    addCreditNote(account, { invoice, credits: [{ line: null, amount: 300 }] });
    await service.connect();
    await service.sync();
    expect(await total()).toBe('0');
    const paymentIntent = payInvoice(account, invoice);
    addRefund(account, { paymentIntent, amount: 200 });
    await service.sync();
    expect(await total()).toBe('5');
    voidInvoice(account, invoice);
    await service.sync();
    expect(await total()).toBe('0');
  });

  it('a deleted customer keeps its end user, and one that was never seen can be linked', async () => {
    const { account } = service.standIn;
    const ada = addCustomer(account, { name: 'Ada', metadata: { user_id: 'ada' } });
    const gone = addCustomer(account, { name: 'Gone', metadata: { user_id: 'gone' } });
    addInvoice(account, { customer: ada, lines: [{ amount: 1_000, ...month }] });
    addInvoice(account, { customer: gone, lines: [{ amount: 500, ...month }] });
    deleteCustomer(account, gone);
    await service.connect();
    await service.sync();
    deleteCustomer(account, ada);
    await service.sync();
    const margin = await service.margin(JANUARY, { ada: '1', gone: '1' });
    expect(margin.endUsers.map(({ name, revenue }) => [name, plain(revenue)])).toEqual([
      ['gone', '0'],
      ['Ada', '10'],
    ]);
    expect(plain(margin.unattributedRevenue)).toBe('5');
  });

  it('wrong clocks make no difference', async () => {
    service.standIn.account.now = at('2031-01-01T00:00:00Z');
    fill();
    await service.connect();
    await service.rows('update payment_connection set last_full_sync_at = null');
    await service.sync();
    service.standIn.account.now = at('2019-01-01T00:00:00Z');
    fill();
    await service.sync();
    expect(await total()).toBe('492');
  });
});
