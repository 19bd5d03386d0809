/** Writes invoices in their current state: one record per line if they have revenue, otherwise none. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { recordCustomers } from '../customers/customer.table.ts';
import { chargesOf } from './charge.table.ts';
import { earnedLines } from './earned-lines.ts';
import { forgetOtherPayments, saveInvoicePayments } from './invoice-payment.table.ts';
import { type KeptInvoice, saveInvoices, voidInvoicesOfCharges } from './invoice.table.ts';
import { liveLineIds, recordStates } from './revenue-record.table.ts';
import type { RecordFacts } from './correct-record.ts';
import { fromMinorUnits } from '../stripe/minor-units.ts';
import { PAGE_SIZE } from '../config.ts';
import type { SyncedLine } from '../stripe/read-invoice-line.ts';
import type { SyncedInvoice } from '../stripe/read-invoice.ts';
import { applyReductions } from './apply-reductions.step.ts';
import { correctLines } from './correct-lines.step.ts';
import type { SyncPage } from './sync-page.ts';

/** Writes invoices in one transaction, except long ones: these take a transaction per page of lines. */
export async function applyInvoices(page: SyncPage, invoices: readonly SyncedInvoice[]): Promise<void> {
  const whole = [...new Map(invoices.map((invoice) => [invoice.id, invoice])).values()].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  const long = whole.filter((invoice) => invoice.lines.length > PAGE_SIZE && invoice.earns);
  const short = whole.filter((invoice) => !long.includes(invoice));
  await page.write(async (tx, now) => {
    await saveInvoicesAndPayments(tx, page, whole, now);
    const all = await recordStates(tx, page.organizationId, { invoiceIds: short.map(({ id }) => id) });
    const stored = new Map([...all].filter(([, state]) => state.kind === 'invoice_line'));
    const reduced = [...all.values()].filter(({ kind, lives }) => kind !== 'invoice_line' && lives);
    const elsewhere = await recordStates(tx, page.organizationId, {
      lineIds: short.flatMap((invoice) => linesOf(invoice).map(({ lineId }) => lineId)).filter((id) => !stored.has(id)),
    });
    await correctLines(tx, page, new Map([...stored, ...elsewhere]), short.flatMap(linesOf), now);
    await applyReductions(
      tx,
      page,
      short.map(({ id }) => id),
      now,
      { reduced: new Set(reduced.map(({ invoiceId }) => invoiceId)) },
    );
    page.counts.invoices += short.filter(({ isCharge }) => !isCharge).length;
  });
  for (const invoice of long) await applyLongInvoice(page, invoice);
}

async function applyLongInvoice(page: SyncPage, invoice: SyncedInvoice): Promise<void> {
  const lines = linesOf(invoice);
  for (let from = 0; from < lines.length; from += PAGE_SIZE) {
    const facts = lines.slice(from, from + PAGE_SIZE);
    await page.write(async (tx, now) => {
      await correctLines(
        tx,
        page,
        await recordStates(tx, page.organizationId, { lineIds: facts.map(({ lineId }) => lineId) }),
        facts,
        now,
      );
    });
  }
  const seen = new Set(lines.map(({ lineId }) => lineId));
  await page.write(async (tx, now) => {
    const gone = (await liveLineIds(tx, page.organizationId, invoice.id)).filter((id) => !seen.has(id));
    await correctLines(tx, page, await recordStates(tx, page.organizationId, { lineIds: gone }), [], now);
    await applyReductions(tx, page, [invoice.id], now);
    page.counts.invoices += 1;
  });
}

async function saveInvoicesAndPayments(
  tx: WriteTransaction,
  page: SyncPage,
  invoices: readonly SyncedInvoice[],
  now: Date,
): Promise<void> {
  const { organizationId } = page;
  await recordCustomers(
    tx,
    organizationId,
    invoices.flatMap(({ customerId, customerName, customerDeleted }) =>
      customerId === null ? [] : [{ id: customerId, name: customerName, deleted: customerDeleted }],
    ),
    now,
  );
  await saveInvoices(tx, organizationId, invoices.map(toKept), now);
  const payments = invoices.flatMap(({ id, payments: own }) => own.map((payment) => ({ ...payment, invoiceId: id })));
  await forgetOtherPayments(
    tx,
    organizationId,
    invoices.filter(({ listsPayments }) => listsPayments).map(({ id }) => id),
    payments,
  );
  await saveInvoicePayments(tx, organizationId, payments);
  await takeBackCharges(tx, page, invoices, now);
}

/** Withdraws charges that were booked as revenue before their invoice was read. */
async function takeBackCharges(
  tx: WriteTransaction,
  page: SyncPage,
  invoices: readonly SyncedInvoice[],
  now: Date,
): Promise<void> {
  const { organizationId } = page;
  const paymentIds = invoices
    .filter(({ isCharge }) => !isCharge)
    .flatMap(({ payments }) => payments.map(({ paymentId }) => paymentId));
  if (paymentIds.length === 0) return;
  const ids = (await chargesOf(tx, organizationId, paymentIds)).map(({ id }) => id);
  const states = await recordStates(tx, organizationId, { invoiceIds: ids });
  if (states.size === 0) return;
  await voidInvoicesOfCharges(tx, organizationId, ids);
  await forgetOtherPayments(tx, organizationId, ids);
  await correctLines(tx, page, states, [], now);
}

function toKept(invoice: SyncedInvoice): KeptInvoice {
  const { payments, dueMinor, listsPayments, lines, created } = invoice;
  const paid = payments.reduce((sum, { amountPaid }) => sum + amountPaid, 0n);
  const overpaidMinor = listsPayments && dueMinor !== null ? paid - dueMinor : invoice.overpaidMinor;
  const starts = lines.map(({ periodStart }) => periodStart);
  const ends = lines.map(({ periodEnd }) => periodEnd);
  return {
    ...invoice,
    notRevenueMinor: earnedLines(invoice).notRevenueMinor,
    overpaidMinor: overpaidMinor > 0n ? overpaidMinor : 0n,
    remainingMinor: invoice.remainingMinor ?? 0n,
    periodStart: starts.length > 0 ? Math.min(...starts) : created,
    periodEnd: ends.length > 0 ? Math.max(...ends) : created,
  };
}

function linesOf(invoice: SyncedInvoice): RecordFacts[] {
  return earnedLines(invoice).lines.map((line) => toFacts(invoice, line));
}

function toFacts(invoice: SyncedInvoice, line: SyncedLine): RecordFacts {
  return {
    lineId: line.id,
    kind: 'invoice_line',
    sourceId: invoice.id,
    invoiceId: invoice.id,
    position: line.position,
    customerId: invoice.customerId,
    amount: fromMinorUnits(line.amountMinor, line.currency),
    currency: line.currency,
    periodStart: line.periodStart,
    periodEnd: line.periodEnd,
  };
}
