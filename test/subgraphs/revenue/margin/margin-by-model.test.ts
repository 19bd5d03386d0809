import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { plain } from '#kernel/money.ts';
import { addCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import { addInvoice, linesOf } from '../../../../packages/stripe-stand-in/invoices.ts';
import { addCreditNote, addDispute, addRefund } from '../../../../packages/stripe-stand-in/reversals.ts';
import { type ModelInvoice, percentOf, recognized, recordsOf, toText, toUnits } from '../margin-model.ts';
import { at, type RevenueService, startRevenue } from '../revenue-builder.ts';
import { runs } from '../../../support/property-runs.ts';
import { MINUTES } from '../../../support/patience.ts';

// Compares very many histories with a model.
vi.setConfig(MINUTES);

const month = { start: at('2026-01-01T00:00:00Z'), end: at('2026-02-01T00:00:00Z') };

let service: RevenueService;
beforeEach(async () => {
  service = await startRevenue();
});
afterEach(() => service.close());

describe('every margin', () => {
  const CUSTOMERS = ['ada', 'bob', 'cid'];
  const seconds = fc.oneof(
    fc.integer({ min: at('2025-06-01T00:00:00Z'), max: at('2026-12-31T00:00:00Z') }),
    fc.constantFrom(month.start, month.end),
  );
  const line = fc
    .record({
      cents: fc.integer({ min: 1_000, max: 100_000 }),
      discount: fc.integer({ min: 0, max: 500 }),
      inclusiveTax: fc.integer({ min: 0, max: 200 }),
      exclusiveTax: fc.integer({ min: 0, max: 300 }),
      start: seconds,
      length: fc.constantFrom(0, 1, 86_400, 28 * 86_400, 31 * 86_400, 366 * 86_400),
    })
    .map(({ length, ...rest }) => ({ ...rest, end: rest.start + length }));
  const invoice: fc.Arbitrary<ModelInvoice> = fc.record({
    customer: fc.constantFrom(...CUSTOMERS),
    paid: fc.boolean(),
    lines: fc.array(line, { minLength: 1, maxLength: 5 }),
    credits: fc.array(fc.record({ line: fc.constant(0), cents: fc.integer({ min: 1, max: 100 }) }), { maxLength: 1 }),
    refunds: fc.array(fc.record({ cents: fc.integer({ min: 20, max: 300 }), credited: fc.constantFrom(0, 7, 20) }), {
      maxLength: 2,
    }),
    lostDisputes: fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 1 }),
  });

  it('equals a model recomputed from invoices and events', async () => {
    const cost = fc.integer({ min: 0, max: 10 ** 9 }).map((units) => toText(BigInt(units) * 10n ** 8n));
    await fc.assert(
      fc.asyncProperty(
        fc.array(invoice, { minLength: 1, maxLength: 12 }),
        fc.tuple(cost, cost, cost),
        seconds,
        fc.integer({ min: 1, max: 300 * 86_400 }),
        async (invoices, costs, from, length) => {
          await service.close();
          service = await startRevenue();
          arrange(invoices);
          await service.connect();
          await service.sync();
          const until = from + length;
          const window = { start: new Date(from * 1000).toISOString(), end: new Date(until * 1000).toISOString() };
          const byName = Object.fromEntries(CUSTOMERS.map((name, index) => [name, costs[index] ?? '0']));
          const margin = await service.margin(window, byName);
          const records = recordsOf(invoices);
          const earned = (name: string) =>
            records
              .filter(({ customer }) => customer === name)
              .reduce((sum, record) => sum + recognized(record, from, until), 0n);
          for (const { externalId, revenue: sum, cost: spent, margin: figures } of margin.endUsers) {
            const expected = earned(externalId);
            expect([plain(sum), plain(spent), plain(figures.amount), figures.percent]).toEqual([
              toText(expected),
              byName[externalId],
              toText(expected - toUnits(byName[externalId] ?? '0')),
              percentOf(expected - toUnits(byName[externalId] ?? '0'), expected),
            ]);
          }
          for (const name of CUSTOMERS)
            if (earned(name) !== 0n || byName[name] !== '0')
              expect(margin.endUsers.map(({ externalId }) => externalId)).toContain(name);
          expect(plain(margin.totalRevenue)).toBe(toText(CUSTOMERS.reduce((sum, name) => sum + earned(name), 0n)));
        },
      ),
      runs(4, { nightly: 100 }),
    );
  });

  function arrange(invoices: readonly ModelInvoice[]): void {
    const { account } = service.standIn;
    const ids = new Map(CUSTOMERS.map((name) => [name, addCustomer(account, { metadata: { user_id: name } })]));
    for (const { customer, paid, lines, credits, refunds, lostDisputes } of invoices) {
      const id = addInvoice(account, {
        customer: ids.get(customer) ?? null,
        status: paid ? 'paid' : 'open',
        lines: lines.map(({ cents, discount, inclusiveTax, exclusiveTax, start, end }) => ({
          amount: cents,
          discount,
          inclusiveTax,
          exclusiveTax,
          start,
          end,
        })),
      });
      const of = linesOf(account, id);
      for (const credit of credits)
        addCreditNote(account, { invoice: id, credits: [{ line: of[credit.line]?.id ?? null, amount: credit.cents }] });
      if (!paid) continue;
      for (const refund of refunds) {
        const refundId = addRefund(account, { invoice: id, amount: refund.cents });
        if (refund.credited > 0) {
          addCreditNote(account, {
            invoice: id,
            credits: [{ line: of[0]?.id ?? null, amount: refund.credited }],
            refund: refundId,
            refundAmount: refund.credited,
          });
          credits.push({ line: 0, cents: refund.credited });
        }
      }
      for (const cents of lostDisputes) addDispute(account, { invoice: id, amount: cents, status: 'lost' });
    }
  }
});
