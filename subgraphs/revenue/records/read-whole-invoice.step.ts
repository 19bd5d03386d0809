/**
 * Reads an invoice with all its lines and payments. With only part of the lines, refunds would be allocated wrongly.
 */
import { readInvoiceLine, type SyncedLine } from '../stripe/read-invoice-line.ts';
import { type BalanceTransaction, givenCreditByInvoice, readBalanceTransaction } from '../stripe/read-balance.ts';
import { readInvoice, readInvoicePayment, type SyncedInvoice, type SyncedPayment } from '../stripe/read-invoice.ts';
import type { ProcessorPage } from '../stripe/processor.ts';
import { noneWhenMissing, ProcessorError } from '../stripe/processor-error.ts';
import type { SyncPage } from './sync-page.ts';

/** Manually added credit that each customer spent, by invoice; null if the processor does not list it. */
export type CreditsOfCustomers = Map<string, ReadonlyMap<string, bigint> | null>;

/**
 * Fetches remaining lines only for invoices with revenue. `credits` caches the credit read for other invoices of the
 * page.
 */
export async function readWholeInvoice(
  page: SyncPage,
  object: unknown,
  credits: CreditsOfCustomers,
): Promise<SyncedInvoice> {
  const invoice = readInvoice(object);
  return {
    ...invoice,
    payments: invoice.morePayments ? await allPayments(page, invoice) : invoice.payments,
    lines: invoice.moreLines && invoice.earns ? await allLines(page, invoice) : invoice.lines,
    givenCreditMinor: await givenCredit(page, invoice, credits),
  };
}

async function givenCredit(
  page: SyncPage,
  { id, customerId, earns, balanceMinor }: SyncedInvoice,
  credits: CreditsOfCustomers,
): Promise<bigint | null> {
  if (balanceMinor === 0n || !earns) return 0n;
  if (customerId === null) return null;
  const known = credits.get(customerId) ?? (await creditsOf(page, customerId));
  credits.set(customerId, known);
  const given = known?.get(id) ?? 0n;
  return known === null ? null : given < balanceMinor ? given : balanceMinor;
}

async function creditsOf(page: SyncPage, customerId: string): Promise<ReadonlyMap<string, bigint> | null> {
  const transactions: BalanceTransaction[] = [];
  for (let after: string | null = null; ;) {
    const answer: ProcessorPage = await page.processor.balanceTransactions(customerId, after).catch(noneWhenMissing);
    const read = answer.objects.map(readBalanceTransaction);
    transactions.push(...read.filter((transaction) => (transaction.customerId ?? customerId) === customerId));
    const last = read.at(-1)?.id ?? null;
    if (!answer.more || last === null || last === after)
      return transactions.length === 0 ? null : givenCreditByInvoice(transactions);
    after = last;
    // Renews the step's lease.
    await page.write(() => Promise.resolve());
  }
}

async function allLines(page: SyncPage, invoice: SyncedInvoice): Promise<SyncedLine[]> {
  const lines = new Map(invoice.lines.map((line) => [line.id, line]));
  for (let last = invoice.lines.at(-1)?.id; last !== undefined;) {
    const { objects, more } = await page.processor.invoiceLines(invoice.id, last);
    const known = lines.size;
    const next = objects.map((line, index) => readInvoiceLine(line, known + index, invoice.currency));
    for (const line of next) if (!lines.has(line.id)) lines.set(line.id, line);
    if (more && lines.size === known)
      throw new ProcessorError(
        'junk',
        `The payment processor's list of the lines of ${invoice.id} does not continue: a page contains only known lines`,
      );
    last = more ? next.at(-1)?.id : undefined;
    // Renews the step's lease.
    await page.write(() => Promise.resolve());
  }
  return [...lines.values()];
}

async function allPayments(page: SyncPage, invoice: SyncedInvoice): Promise<SyncedPayment[]> {
  const payments: SyncedPayment[] = [...invoice.payments];
  for (let after: string | null = null; ;) {
    const { objects, more } = await page.processor.invoicePayments({ invoice: invoice.id }, after);
    payments.push(...objects.flatMap((object) => readInvoicePayment(object) ?? []));
    const last = (objects.at(-1) as { id?: string } | undefined)?.id;
    if (!more || last === undefined || last === after) return payments;
    after = last;
  }
}
