/** Reads an invoice with everything that did not fit into its object: a half-read one would take refunds over half of its lines. */
import { readInvoiceLine, type SyncedLine } from '../stripe/read-invoice-line.ts';
import {
  isPaid,
  readInvoice,
  readInvoicePayment,
  type SyncedInvoice,
  type SyncedPayment,
} from '../stripe/read-invoice.ts';
import { ProcessorError } from '../stripe/processor-error.ts';
import type { SyncPage } from './sync-page.ts';

/** Lines of an invoice that has no records are left as they are. */
export async function readWholeInvoice(page: SyncPage, object: unknown): Promise<SyncedInvoice> {
  const invoice = readInvoice(object);
  return {
    ...invoice,
    payments: invoice.morePayments ? await allPayments(page, invoice) : invoice.payments,
    lines: invoice.moreLines && isPaid(invoice) ? await allLines(page, invoice) : invoice.lines,
  };
}

async function allLines(page: SyncPage, invoice: SyncedInvoice): Promise<SyncedLine[]> {
  const lines = new Map(invoice.lines.map((line) => [line.id, line]));
  for (let last = invoice.lines.at(-1)?.id; last !== undefined;) {
    const { objects, more } = await page.processor.invoiceLines(invoice.id, last);
    const known = lines.size;
    const next = objects.map((line, index) => readInvoiceLine(line, known + index, invoice.currency));
    for (const line of next) if (!lines.has(line.id)) lines.set(line.id, line);
    if (more && lines.size === known)
      throw new ProcessorError('junk', `The payment processor's list of the lines of ${invoice.id} does not move on`);
    last = more ? next.at(-1)?.id : undefined;
    // The step keeps its lease while it reads.
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
