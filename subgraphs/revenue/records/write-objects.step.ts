/** Turns the objects of one page into rows: what a list holds, and how it is written. */
import { saveCustomers } from '../customers/customer.table.ts';
import { invoicesOfPayments, type PaymentOfInvoice, saveInvoicePayments } from './invoice-payment.table.ts';
import { knownReductions, saveReductions } from './reduction.table.ts';
import { saveSubscriptions } from '../customers/subscription.table.ts';
import { ProcessorError } from '../stripe/processor-error.ts';
import {
  readCreditNote,
  readCreditNoteLine,
  readDispute,
  readRefund,
  type CreditNoteLine,
  type SyncedReduction,
} from '../stripe/read-reduction.ts';
import { readCustomer } from '../stripe/read-customer.ts';
import { readInvoice, readInvoicePayment } from '../stripe/read-invoice.ts';
import { readSubscription } from '../stripe/read-subscription.ts';
import type { ProcessorList } from '../stripe/sync-stages.ts';
import { applyInvoices } from './apply-invoices.step.ts';
import { applyReductions } from './apply-reductions.step.ts';
import type { SyncPage } from './sync-page.ts';

/** Every object is read before anything is written: a page with junk in it changes nothing. */
export async function writeObjects(page: SyncPage, list: ProcessorList, objects: readonly unknown[]): Promise<void> {
  switch (list) {
    case 'customers':
      return writeCustomers(page, objects);
    case 'subscriptions':
      return writeSubscriptions(page, objects);
    case 'invoices':
      return applyInvoices(page, objects.map(readInvoice));
    case 'credit_notes':
      return writeCreditNotes(page, objects.map(readCreditNote));
    case 'refunds':
      return writeReductions(page, objects.map(readRefund));
    case 'disputes':
      return writeReductions(page, objects.map(readDispute));
  }
}

async function writeCustomers(page: SyncPage, objects: readonly unknown[]): Promise<void> {
  const customers = objects.map((object) => readCustomer(object, page.endUserKey));
  await page.write((em, now) => saveCustomers(em, page.organizationId, customers, now));
  page.counts.customers += customers.length;
}

async function writeSubscriptions(page: SyncPage, objects: readonly unknown[]): Promise<void> {
  const subscriptions = objects.map(readSubscription);
  await page.write((em, now) => saveSubscriptions(em, page.organizationId, subscriptions, now));
  page.counts.subscriptions += subscriptions.length;
}

async function writeCreditNotes(page: SyncPage, notes: readonly SyncedReduction[]): Promise<void> {
  const whole: SyncedReduction[] = [];
  for (const note of notes) whole.push(await withAllLines(page, note));
  return writeReductions(page, whole);
}

async function writeReductions(page: SyncPage, reductions: readonly SyncedReduction[]): Promise<void> {
  const { organizationId } = page;
  const paymentIds = reductions.flatMap((reduction) => reduction.paymentIds);
  const found = await lookUpInvoices(page, reductions);
  await page.write(async (em, now) => {
    await saveReductions(em, organizationId, reductions, now);
    await saveInvoicePayments(em, organizationId, found);
    const invoices = await invoicesOfPayments(em, organizationId, paymentIds);
    const named = reductions.flatMap(({ invoiceId }) => invoiceId ?? []);
    const concerned = [...new Set([...named, ...invoices.map(({ invoiceId }) => invoiceId)])].sort();
    await applyReductions(em, page, concerned, now, new Set(reductions.map(({ id }) => id)));
  });
}

/** For refunds that are new and whose invoice did not say how it was paid. One that belongs to no invoice finds none. */
async function lookUpInvoices(page: SyncPage, reductions: readonly SyncedReduction[]): Promise<PaymentOfInvoice[]> {
  const { organizationId } = page;
  const reversals = reductions.filter(({ kind, invoiceId }) => kind !== 'credit_note' && invoiceId === null);
  const unknown = await page.write(async (em) => {
    const stored = new Set(
      await knownReductions(
        em,
        organizationId,
        reversals.map(({ id }) => id),
      ),
    );
    const payments = await invoicesOfPayments(
      em,
      organizationId,
      reversals.flatMap(({ paymentIds }) => paymentIds),
    );
    const known = new Set(payments.map(({ paymentId }) => paymentId));
    return reversals.filter(
      ({ id, paymentIds }) => !stored.has(id) && !paymentIds.some((paymentId) => known.has(paymentId)),
    );
  });
  const found: PaymentOfInvoice[] = [];
  for (const paymentIntent of unknown.flatMap(
    ({ paymentIds }) => paymentIds.find((id) => id.startsWith('pi_')) ?? [],
  )) {
    const { objects } = await page.processor.invoicePayments({ paymentIntent }, null).catch(noneWhenMissing);
    found.push(...objects.flatMap((object) => readInvoicePayment(object) ?? []));
  }
  return found;
}

function noneWhenMissing(error: unknown): { objects: readonly unknown[] } {
  if (error instanceof ProcessorError && error.kind === 'missing') return { objects: [] };
  throw error;
}

async function withAllLines(page: SyncPage, note: SyncedReduction): Promise<SyncedReduction> {
  if (!note.moreLines) return note;
  const lines = new Map<string, CreditNoteLine>(note.lines.map((line) => [line.id, line]));
  for (let last = note.lines.at(-1)?.id; last !== undefined;) {
    const { objects, more } = await page.processor.creditNoteLines(note.id, last);
    const next = objects.map(readCreditNoteLine);
    for (const line of next) lines.set(line.id, line);
    last = more && next.at(-1)?.id !== last ? next.at(-1)?.id : undefined;
  }
  return { ...note, lines: [...lines.values()], moreLines: false };
}
