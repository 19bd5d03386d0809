/** Writes invoices as they are now: paid ones have a record for each line, all others none. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { recordCustomers } from '../customers/customer.table.ts';
import { saveInvoicePayments } from './invoice-payment.table.ts';
import { saveInvoices } from './invoice.table.ts';
import { liveLineIds, recordStates } from './revenue-record.table.ts';
import type { RecordFacts } from './correct-record.ts';
import { fromMinorUnits } from '../stripe/minor-units.ts';
import { PAGE_SIZE } from '../config.ts';
import type { SyncedLine } from '../stripe/read-invoice-line.ts';
import { isPaid, type SyncedInvoice } from '../stripe/read-invoice.ts';
import { applyReductions } from './apply-reductions.step.ts';
import { correctLines } from './correct-lines.step.ts';
import type { SyncPage } from './sync-page.ts';

/** Invoices of more lines than fit into a transaction are written a page of lines at a time, each in its own. */
export async function applyInvoices(page: SyncPage, invoices: readonly SyncedInvoice[]): Promise<void> {
  const whole = [...new Map(invoices.map((invoice) => [invoice.id, invoice])).values()].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  const long = whole.filter((invoice) => invoice.lines.length > PAGE_SIZE && isPaid(invoice));
  const short = whole.filter((invoice) => !long.includes(invoice));
  await page.write(async (em, now) => {
    await saveInvoicesAndPayments(em, page, whole, now);
    const all = await recordStates(em, page.organizationId, { invoiceIds: short.map(({ id }) => id) });
    const stored = new Map([...all].filter(([, state]) => state.kind === 'invoice_line'));
    const elsewhere = await recordStates(em, page.organizationId, {
      lineIds: short.flatMap((invoice) => linesOf(invoice).map(({ lineId }) => lineId)).filter((id) => !stored.has(id)),
    });
    await correctLines(em, page, new Map([...stored, ...elsewhere]), short.flatMap(linesOf), now);
    await applyReductions(
      em,
      page,
      short.map(({ id }) => id),
      now,
    );
    page.counts.invoices += short.length;
  });
  for (const invoice of long) await applyLongInvoice(page, invoice);
}

async function applyLongInvoice(page: SyncPage, invoice: SyncedInvoice): Promise<void> {
  for (let from = 0; from < invoice.lines.length; from += PAGE_SIZE) {
    const facts = invoice.lines.slice(from, from + PAGE_SIZE).map((line) => toFacts(invoice, line));
    await page.write(async (em, now) => {
      await correctLines(
        em,
        page,
        await recordStates(em, page.organizationId, { lineIds: facts.map(({ lineId }) => lineId) }),
        facts,
        now,
      );
    });
  }
  const seen = new Set(invoice.lines.map(({ id }) => id));
  await page.write(async (em, now) => {
    const gone = (await liveLineIds(em, page.organizationId, invoice.id)).filter((id) => !seen.has(id));
    await correctLines(em, page, await recordStates(em, page.organizationId, { lineIds: gone }), [], now);
    await applyReductions(em, page, [invoice.id], now);
    page.counts.invoices += 1;
  });
}

async function saveInvoicesAndPayments(
  em: EntityManager,
  page: SyncPage,
  invoices: readonly SyncedInvoice[],
  now: Date,
): Promise<void> {
  const { organizationId } = page;
  await recordCustomers(
    em,
    organizationId,
    invoices.flatMap(({ customerId, customerName, customerDeleted }) =>
      customerId === null ? [] : [{ id: customerId, name: customerName, deleted: customerDeleted }],
    ),
    now,
  );
  await saveInvoices(em, organizationId, invoices, now);
  await saveInvoicePayments(
    em,
    organizationId,
    invoices.flatMap(({ id, payments }) => payments.map((payment) => ({ ...payment, invoiceId: id }))),
  );
}

function linesOf(invoice: SyncedInvoice): RecordFacts[] {
  return isPaid(invoice) ? invoice.lines.map((line) => toFacts(invoice, line)) : [];
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
