/** Writes charges. A charge that paid no invoice is stored as a paid one-line invoice under its own id. */
import { readEach } from '../set-aside/read-each.step.ts';
import { noneWhenMissing } from '../stripe/processor-error.ts';
import { readCharge, readCheckout, type SyncedCharge } from '../stripe/read-charge.ts';
import { readInvoicePayment, type SyncedInvoice } from '../stripe/read-invoice.ts';
import { idOfObject } from '../stripe/read-object.ts';
import { applyInvoices } from './apply-invoices.step.ts';
import { chargesOf, saveCharges } from './charge.table.ts';
import { invoicesOfPayments, type PaymentOfInvoice, saveInvoicePayments } from './invoice-payment.table.ts';
import type { SyncPage } from './sync-page.ts';

interface FoundCharge {
  readonly charge: SyncedCharge;
  /** Invoices that the charge paid. */
  readonly payments: readonly PaymentOfInvoice[];
  /** Tax and shipping within the charge; null if none of it is revenue. */
  readonly notRevenueMinor: bigint | null;
}

export async function writeCharges(page: SyncPage, objects: readonly unknown[]): Promise<void> {
  const { organizationId } = page;
  const named = objects.flatMap((object) => [idOfObject(object, 'payment_intent'), idOfObject(object, 'id')]);
  const ids = named.filter((id) => id !== null);
  const { known, paid } = await page.write(async (tx) => ({
    known: new Map((await chargesOf(tx, organizationId, ids)).map((charge) => [charge.id, charge])),
    paid: await invoicesOfPayments(tx, organizationId, ids),
  }));
  const found = await readEach(page, 'charge', objects, async (object): Promise<FoundCharge> => {
    const charge = readCharge(object);
    const payments = paid.filter(
      (payment) => payment.invoiceId !== charge.id && idsOf(charge).includes(payment.paymentId),
    );
    const before = known.get(charge.id);
    if (before !== undefined && before.capturedMinor > 0n)
      return { charge, payments, notRevenueMinor: before.notRevenueMinor };
    if (payments.length > 0 || charge.capturedMinor === 0n) return { charge, payments, notRevenueMinor: 0n };
    return { charge, ...(await lookUp(page, charge)) };
  });
  await page.write(async (tx) => {
    await saveCharges(
      tx,
      organizationId,
      found.map(({ charge, notRevenueMinor }) => ({ ...charge, notRevenueMinor })),
    );
    await saveInvoicePayments(
      tx,
      organizationId,
      found.flatMap(({ payments }) => payments),
    );
  });
  await applyInvoices(page, found.map(asInvoice));
}

/** Asks the processor for the invoices of a new charge, and for its Checkout session. */
async function lookUp(page: SyncPage, charge: SyncedCharge): Promise<Omit<FoundCharge, 'charge'>> {
  const { id, invoiceId, paymentIntentId, capturedMinor } = charge;
  const paying = (invoice: string): PaymentOfInvoice[] => [
    { invoiceId: invoice, paymentId: paymentIntentId ?? id, amountPaid: capturedMinor },
  ];
  if (invoiceId !== null) return { payments: paying(invoiceId), notRevenueMinor: 0n };
  if (paymentIntentId === null) return { payments: [], notRevenueMinor: 0n };
  // Renews the step's lease.
  await page.write(() => Promise.resolve());
  const ofInvoices = await page.processor
    .invoicePayments({ paymentIntent: paymentIntentId }, null)
    .catch(noneWhenMissing);
  const payments = ofInvoices.objects.flatMap((object) => readInvoicePayment(object, paymentIntentId) ?? []);
  if (payments.length > 0) return { payments, notRevenueMinor: 0n };
  const sessions = await page.processor.checkoutSessions(paymentIntentId).catch(noneWhenMissing);
  const checkout = readCheckout(sessions.objects, paymentIntentId);
  if (checkout === null) return { payments: [], notRevenueMinor: 0n };
  return {
    payments: checkout.invoiceId === null ? [] : paying(checkout.invoiceId),
    notRevenueMinor: checkout.notRevenueMinor,
  };
}

function idsOf({ id, paymentIntentId }: SyncedCharge): string[] {
  return paymentIntentId === null ? [id] : [paymentIntentId, id];
}

function asInvoice({ charge, payments, notRevenueMinor }: FoundCharge): SyncedInvoice {
  const { id, customerId, currency, capturedMinor, periodStart, periodEnd, created } = charge;
  const earns = capturedMinor > 0n && payments.length === 0 && notRevenueMinor !== null;
  const besides = notRevenueMinor === null || notRevenueMinor > capturedMinor ? capturedMinor : notRevenueMinor;
  return {
    id,
    customerId,
    customerName: null,
    customerDeleted: false,
    status: earns ? 'paid' : 'void',
    earns,
    currency,
    notRevenueMinor: besides,
    remainingMinor: 0n,
    receivedMinor: capturedMinor,
    dueMinor: null,
    overpaidMinor: 0n,
    balanceMinor: 0n,
    givenCreditMinor: 0n,
    isCharge: true,
    listsPayments: true,
    payments: earns ? idsOf(charge).map((paymentId) => ({ paymentId, amountPaid: capturedMinor })) : [],
    morePayments: false,
    lines: [{ id, position: 0, amountMinor: capturedMinor - besides, currency, periodStart, periodEnd }],
    moreLines: false,
    created,
    issued: created,
  };
}
