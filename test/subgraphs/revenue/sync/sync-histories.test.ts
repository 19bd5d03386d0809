/**
 * Random histories at the processor, with syncs that die in any of their transactions, and restored databases. Once a
 * sync has ended, revenue matches a model of the account's current state.
 */
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { plain } from '#kernel/money.ts';
import { addCustomer, type StripeAccount } from '../../../../packages/stripe-stand-in/account.ts';
import { cutMidPage, down, serverError, type Fault } from '../../../../packages/stripe-stand-in/faults.ts';
import { addInvoice, linesOf, payInvoice, voidInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import { addCreditNote, addDispute, addRefund, closeDispute } from '../../../../packages/stripe-stand-in/reversals.ts';
import type { Death } from '../../../support/mortal.ts';
import { type ModelInvoice, recognized, recordsOf, toText } from '../margin-model.ts';
import { at, type RevenueService, startRevenue } from '../revenue-builder.ts';
import { runs } from '../../../support/property-runs.ts';
import { MINUTES } from '../../../support/patience.ts';

// Kills processes and waits until they have recovered.
vi.setConfig(MINUTES);

const CUSTOMERS = ['ada', 'grace'];
const MONTH = { start: at('2026-01-01T00:00:00Z'), end: at('2026-02-01T00:00:00Z') };
const WINDOW = { start: '2026-01-11T03:04:05Z', end: '2026-01-21T00:00:00Z' };

interface World {
  readonly service: RevenueService;
  readonly account: StripeAccount;
  readonly customers: ReadonlyMap<string, string>;
  readonly invoices: {
    readonly id: string;
    readonly model: ModelInvoice;
    readonly disputes: { id: string; cents: number }[];
  }[];
  readonly backups: string[];
}

interface Action {
  act(world: World): unknown;
}

/** The label is printed if a run fails. */
const named = (label: string, act: Action['act']): Action => ({ act, [fc.toStringMethod]: () => label }) as Action;

/** Cents of an invoice that can still be reversed. */
function rest({ model: { lines, credits, refunds, lostDisputes }, disputes }: World['invoices'][number]): number {
  const taken = [...[...credits, ...refunds, ...disputes].map(({ cents }) => cents), ...lostDisputes];
  const sum = (all: readonly number[]) => all.reduce((total, cents) => total + cents, 0);
  return sum(lines.map(({ cents }) => cents)) - sum(taken);
}

const onInvoice = (label: string, act: (world: World, invoice: World['invoices'][number], cents: number) => void) =>
  fc.tuple(fc.nat(9), fc.integer({ min: 1, max: 400 })).map(([index, cents]) =>
    named(`${label} ${index} by ${cents}`, (world) => {
      const invoice = world.invoices[index % Math.max(world.invoices.length, 1)];
      if (invoice) act(world, invoice, cents);
    }),
  );
const onPaid = (label: string, act: (world: World, invoice: World['invoices'][number], cents: number) => void) =>
  onInvoice(label, (world, invoice, cents) => {
    if (invoice.model.paid && rest(invoice) >= cents) act(world, invoice, cents);
  });

const invoice = fc
  .tuple(
    fc.constantFrom(...CUSTOMERS),
    fc.boolean(),
    fc.array(fc.integer({ min: 500, max: 9_999 }), { minLength: 1, maxLength: 3 }),
  )
  .map(([customer, paid, cents]) =>
    named(`invoice of ${customer}${paid ? '' : ', open'}: ${cents.join(' + ')}`, ({ account, customers, invoices }) => {
      const id = addInvoice(account, {
        customer: customers.get(customer)!,
        status: paid ? 'paid' : 'open',
        lines: cents.map((amount) => ({ amount, ...MONTH })),
      });
      const lines = cents.map((each) => ({ cents: each, discount: 0, inclusiveTax: 0, exclusiveTax: 0, ...MONTH }));
      invoices.push({ id, model: { customer, paid, lines, credits: [], refunds: [], lostDisputes: [] }, disputes: [] });
    }),
  );

const history: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: invoice },
  {
    weight: 2,
    arbitrary: onInvoice('pay', ({ account }, { id, model }) => {
      if (model.paid || account.objects.invoices.get(id)?.['status'] === 'void') return;
      payInvoice(account, id);
      model.paid = true;
    }),
  },
  {
    weight: 1,
    arbitrary: onInvoice('void', ({ account }, { id, model }) => {
      if (model.paid) return;
      voidInvoice(account, id);
    }),
  },
  {
    weight: 2,
    arbitrary: onPaid('refund', ({ account }, { id, model }, cents) => {
      addRefund(account, { invoice: id, amount: cents });
      model.refunds.push({ cents, credited: 0 });
    }),
  },
  {
    weight: 2,
    arbitrary: onPaid('credit', ({ account }, { id, model }, cents) => {
      addCreditNote(account, { invoice: id, credits: [{ line: linesOf(account, id)[0]!.id, amount: cents }] });
      model.credits.push({ line: 0, cents });
    }),
  },
  {
    weight: 2,
    arbitrary: onPaid('dispute', ({ account }, { id, model, disputes }, cents) => {
      const open = disputes.pop();
      if (!open) return void disputes.push({ id: addDispute(account, { invoice: id, amount: cents }), cents });
      closeDispute(account, open.id, 'lost');
      model.lostDisputes.push(open.cents);
    }),
  },
  { weight: 8, arbitrary: fc.constant(named('step', ({ service }) => service.step())) },
  { weight: 2, arbitrary: fc.constant(named('sync', ({ service }) => service.sync())) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<[string, () => Fault]>(
        ['down', () => down(1)],
        ['error', () => serverError(1)],
        ['cut', () => cutMidPage(1)],
      )
      .map(([label, fault]) => named(`processor ${label}`, ({ service }) => void service.standIn.faults.push(fault()))),
  },
  {
    weight: 1,
    arbitrary: fc.constant(named('back up', async ({ service, backups }) => backups.push(await service.backUp()))),
  },
  {
    weight: 1,
    arbitrary: fc.nat(3).map((back) =>
      named(`restore ${back}`, async ({ service, backups }) => {
        const backup = backups.at(-1 - back);
        if (backup) await service.restore(backup);
      }),
    ),
  },
);
const death: fc.Arbitrary<Death | null> = fc.option(fc.record({ transaction: fc.nat(4), isCommitted: fc.boolean() }), {
  freq: 2,
});

it('a sync equals a model of the account, wherever the process dies and whatever is restored', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(history, death), { minLength: 15, maxLength: 40, size: 'max' }),
      async (actions) => {
        const service = await startRevenue();
        const { account } = service.standIn;
        const customers = new Map(
          CUSTOMERS.map((name) => [name, addCustomer(account, { metadata: { user_id: name } })]),
        );
        const world: World = { service, account, customers, invoices: [], backups: [] };
        try {
          await service.connect();
          for (const [{ act }, dies] of actions) {
            account.now += 60;
            const work = async () => act(world);
            if (dies) await service.life.dyingIn(dies, work);
            else await work();
            // The lease of the process expires.
            await service.rows('update payment_connection set lease_until = now() returning 1');
          }
          // The first sync may have begun before the last change.
          await service.sync();
          await service.sync();
          const records = recordsOf(world.invoices.map(({ model }) => model));
          const { endUsers } = await service.margin(WINDOW, Object.fromEntries(CUSTOMERS.map((name) => [name, '1'])));
          for (const { externalId, revenue } of endUsers)
            expect(plain(revenue), externalId).toBe(
              toText(
                records
                  .filter(({ customer }) => customer === externalId)
                  .reduce((sum, record) => sum + recognized(record, at(WINDOW.start), at(WINDOW.end)), 0n),
              ),
            );
          expect(endUsers).toHaveLength(CUSTOMERS.length);
        } finally {
          await service.close();
        }
      },
    ),
    runs(3, { nightly: 100 }),
  );
}, 600_000);
