/** Writes the objects of one page, by list. */
import { saveCustomers } from '../customers/customer.table.ts';
import { invoicesOfPayments, type PaymentOfInvoice, saveInvoicePayments } from './invoice-payment.table.ts';
import { knownReductions, saveReductions } from './reduction.table.ts';
import { saveSubscriptions } from '../customers/subscription.table.ts';
import { noneWhenMissing } from '../stripe/processor-error.ts';
import {
  readCreditNote,
  readCreditNoteLine,
  readDispute,
  readRefund,
  type SyncedReduction,
} from '../stripe/read-reduction.ts';
import { readCustomer } from '../stripe/read-customer.ts';
import { readInvoicePayment } from '../stripe/read-invoice.ts';
import { readSubscription } from '../stripe/read-subscription.ts';
import type { ProcessorList } from '../stripe/sync-stages.ts';
import { processorIdOf, readEach } from '../set-aside/read-each.step.ts';
import { applyInvoices } from './apply-invoices.step.ts';
import { applyReductions } from './apply-reductions.step.ts';
import { type CreditsOfCustomers, readWholeInvoice } from './read-whole-invoice.step.ts';
import { writeCharges } from './write-charges.step.ts';
import type { SyncPage } from './sync-page.ts';

/** Reads an object completely before writing any of it; unreadable objects are set aside (decision 27). */
export async function writeObjects(page: SyncPage, list: ProcessorList, objects: readonly unknown[]): Promise<void> {
  switch (list) {
    case 'customers':
      return writeCustomers(page, objects);
    case 'subscriptions':
      return writeSubscriptions(page, objects);
    case 'invoices': {
      const credits: CreditsOfCustomers = new Map();
      return applyInvoices(
        page,
        await readEach(page, 'invoice', objects, (object) => readWholeInvoice(page, object, credits)),
      );
    }
    case 'charges':
      return writeCharges(page, objects);
    case 'credit_notes':
      return writeReductions(
        page,
        await readEach(page, 'credit_note', objects, (object) => readWholeNote(page, object)),
      );
    case 'refunds':
      return writeReversals(page, 'refund', objects, readRefund);
    case 'disputes':
      return writeReversals(page, 'dispute', objects, readDispute);
  }
}

async function writeCustomers(page: SyncPage, objects: readonly unknown[]): Promise<void> {
  const customers = await readEach(page, 'customer', objects, (object) => readCustomer(object, page.endUserKey));
  await page.write((tx, now) => saveCustomers(tx, page.organizationId, customers, now));
  page.counts.customers += customers.length;
}

async function writeSubscriptions(page: SyncPage, objects: readonly unknown[]): Promise<void> {
  const subscriptions = await readEach(page, 'subscription', objects, readSubscription);
  await page.write((tx, now) => saveSubscriptions(tx, page.organizationId, subscriptions, now));
  page.counts.subscriptions += subscriptions.length;
}

async function writeReversals(
  page: SyncPage,
  kind: 'refund' | 'dispute',
  objects: readonly unknown[],
  read: (raw: unknown) => SyncedReduction,
): Promise<void> {
  const known = new Set(await page.write((tx) => knownReductions(tx, page.organizationId, objects.map(processorIdOf))));
  const payments: PaymentOfInvoice[] = [];
  const reversals = await readEach(page, kind, objects, async (object) => {
    const reversal = read(object);
    if (!known.has(reversal.id)) payments.push(...(await lookUpInvoices(page, reversal)));
    return reversal;
  });
  return writeReductions(page, reversals, payments);
}

async function writeReductions(
  page: SyncPage,
  reductions: readonly SyncedReduction[],
  payments: readonly PaymentOfInvoice[] = [],
): Promise<void> {
  const { organizationId } = page;
  const paymentIds = reductions.flatMap((reduction) => reduction.paymentIds);
  await page.write(async (tx, now) => {
    await saveReductions(tx, organizationId, reductions, now);
    await saveInvoicePayments(tx, organizationId, payments);
    const invoices = await invoicesOfPayments(tx, organizationId, paymentIds);
    const named = reductions.flatMap(({ invoiceId }) => invoiceId ?? []);
    const concerned = [...new Set([...named, ...invoices.map(({ invoiceId }) => invoiceId)])].sort();
    await applyReductions(tx, page, concerned, now, { read: new Set(reductions.map(({ id }) => id)) });
  });
}

/** Asks the processor for the invoices of a reversed payment, if no stored invoice has that payment. */
async function lookUpInvoices(page: SyncPage, { invoiceId, paymentIds }: SyncedReduction): Promise<PaymentOfInvoice[]> {
  const { organizationId } = page;
  const paymentIntent = paymentIds.find((paymentId) => paymentId.startsWith('pi_'));
  if (invoiceId !== null || paymentIntent === undefined) return [];
  const stored = await page.write((tx) => invoicesOfPayments(tx, organizationId, paymentIds));
  if (stored.length > 0) return [];
  const { objects } = await page.processor.invoicePayments({ paymentIntent }, null).catch(noneWhenMissing);
  return objects.flatMap((object) => readInvoicePayment(object, paymentIntent) ?? []);
}

async function readWholeNote(page: SyncPage, object: unknown): Promise<SyncedReduction> {
  const note = readCreditNote(object);
  if (!note.moreLines) return note;
  const lines = new Map<string, unknown>();
  for (let last = note.lines.at(-1)?.id; last !== undefined;) {
    const { objects, more } = await page.processor.creditNoteLines(note.id, last);
    const known = lines.size;
    for (const line of objects) lines.set(readCreditNoteLine(line).id, line);
    last = more && lines.size > known ? [...lines.keys()].at(-1) : undefined;
  }
  return readCreditNote(object, [...lines.values()]);
}
