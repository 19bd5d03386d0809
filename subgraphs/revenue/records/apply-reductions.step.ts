/**
 * Updates the negative records of invoices to match their credit notes, refunds and disputes, which may arrive in any
 * order.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { chargesOf, type StoredCharge } from './charge.table.ts';
import { invoicesOfPayments, type PaymentOfInvoice, paymentsOfInvoices } from './invoice-payment.table.ts';
import { currencyOfInvoices, unearnedParts } from './invoice.table.ts';
import { reductionsOf, type StoredReduction } from './reduction.table.ts';
import { recordStates } from './revenue-record.table.ts';
import type { RecordState } from './correct-record.ts';
import { type PaymentReversal, reduceInvoice } from './reduce-invoice.ts';
import { clearSetAside, setAside } from '../set-aside/set-aside-object.table.ts';
import { correctLines } from './correct-lines.step.ts';
import type { SyncPage } from './sync-page.ts';

/** `read`: the page's credit notes, refunds and disputes. `reduced`: invoices that already have negative records. */
export async function applyReductions(
  tx: WriteTransaction,
  page: SyncPage,
  invoiceIds: readonly string[],
  now: Date,
  { read = NONE, reduced = NONE }: { read?: ReadonlySet<string>; reduced?: ReadonlySet<string> } = {},
): Promise<void> {
  const { organizationId } = page;
  const paymentIds = (await paymentsOfInvoices(tx, organizationId, invoiceIds)).map(({ paymentId }) => paymentId);
  const shared = await invoicesOfPayments(tx, organizationId, paymentIds);
  const around = [...new Set([...invoiceIds, ...shared.map(({ invoiceId }) => invoiceId)])];
  const reductions = await reductionsOf(tx, organizationId, around, paymentIds);
  const concerned = invoiceIds.filter(
    (id) => reduced.has(id) || reductions.some((reduction) => touches(reduction, id, shared)),
  );
  if (concerned.length === 0) return;
  const states = [...(await recordStates(tx, organizationId, { invoiceIds: concerned })).values()];
  const unearned = await unearnedParts(tx, organizationId, concerned);
  const fitting = await setAsideOtherCurrencies(tx, organizationId, reductions, { around, shared, now });
  const charges = await chargesOf(tx, organizationId, paymentIds);
  const reversals = fitting
    .filter(({ kind }) => kind !== 'credit_note')
    .map((reduction): PaymentReversal => {
      const paid = paidBy(reduction, shared);
      return {
        ...reduction,
        payment: reduction.paymentIds[0] ?? reduction.id,
        paid,
        unappliedMinor: unappliedOf(reduction, paid, charges),
      };
    });
  for (const id of concerned) {
    const own = states.filter(({ invoiceId }) => invoiceId === id);
    const wanted = reduceInvoice({
      id,
      ...(unearned.get(id) ?? { notRevenueMinor: 0n, overpaidMinor: 0n }),
      lines: own.filter(({ kind, lives }) => kind === 'invoice_line' && lives),
      creditNotes: fitting.filter(({ kind }) => kind === 'credit_note'),
      refunds: reversals.filter(({ paid }) => paid.some(({ invoiceId }) => invoiceId === id)),
    });
    await correctLines(tx, page, byLine(own.filter(({ kind }) => kind !== 'invoice_line')), wanted, now, (sourceId) =>
      read.has(sourceId),
    );
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Part of a payment that paid no invoice; zero if its charge was never read, or if the reversal names its invoice. */
function unappliedOf(
  { invoiceId, paymentIds }: StoredReduction,
  paid: readonly { amountPaid: bigint }[],
  charges: readonly StoredCharge[],
): bigint {
  const own = charges.filter(
    ({ id, paymentIntentId }) =>
      paymentIds.includes(id) || (paymentIntentId !== null && paymentIds.includes(paymentIntentId)),
  );
  if (invoiceId !== null || own.length === 0) return 0n;
  const received = own.reduce((sum, { capturedMinor }) => sum + capturedMinor, 0n);
  const applied = paid.reduce((sum, { amountPaid }) => sum + amountPaid, 0n);
  return received > applied ? received - applied : 0n;
}

/**
 * Returns the reductions in the currency of their invoices. The others cannot be allocated, so they are set aside
 * until a later read shows matching currencies.
 */
async function setAsideOtherCurrencies(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  reductions: readonly StoredReduction[],
  { around, shared, now }: { around: readonly string[]; shared: readonly PaymentOfInvoice[]; now: Date },
): Promise<StoredReduction[]> {
  const currencies = await currencyOfInvoices(tx, organizationId, around);
  const judged = reductions.map((reduction) => {
    const other = around.find(
      (id) => touches(reduction, id, shared) && (currencies.get(id) ?? reduction.currency) !== reduction.currency,
    );
    return {
      reduction,
      reason:
        other === undefined || !reduction.counts
          ? null
          : `Is in ${reduction.currency.toUpperCase()}, but its invoice ${other} is in ${currencies.get(other)?.toUpperCase()}: not deducted`,
    };
  });
  for (const kind of ['credit_note', 'refund', 'dispute'] as const) {
    const own = judged.filter(({ reduction }) => reduction.kind === kind);
    const [fits, others] = [own.filter(({ reason }) => reason === null), own.filter(({ reason }) => reason !== null)];
    const which = { kind, cause: 'other_currency' } as const;
    await clearSetAside(
      tx,
      organizationId,
      which,
      fits.map(({ reduction }) => reduction.id),
    );
    await setAside(
      tx,
      organizationId,
      which,
      others.map(({ reduction, reason }) => ({ id: reduction.id, reason: reason ?? '' })),
      now,
    );
  }
  return judged.filter(({ reason }) => reason === null).map(({ reduction }) => reduction);
}

function touches(
  reduction: StoredReduction,
  invoiceId: string,
  shared: readonly { invoiceId: string; paymentId: string }[],
): boolean {
  if (reduction.invoiceId === invoiceId) return true;
  return shared.some((payment) => payment.invoiceId === invoiceId && reduction.paymentIds.includes(payment.paymentId));
}

/** Amounts that the refunded or disputed payment paid, per invoice. A charge and its payment intent are one payment. */
function paidBy(
  reduction: StoredReduction,
  shared: readonly { invoiceId: string; paymentId: string; amountPaid: bigint }[],
): { invoiceId: string; amountPaid: bigint }[] {
  if (reduction.kind !== 'credit_note' && reduction.invoiceId !== null)
    return [{ invoiceId: reduction.invoiceId, amountPaid: 1n }];
  const byInvoice = new Map<string, bigint>();
  for (const { invoiceId, paymentId, amountPaid } of shared) {
    if (reduction.paymentIds.includes(paymentId)) byInvoice.set(invoiceId, amountPaid);
  }
  return [...byInvoice].map(([invoiceId, amountPaid]) => ({ invoiceId, amountPaid }));
}

function byLine(states: readonly RecordState[]): Map<string, RecordState> {
  return new Map(states.map((state) => [state.lineId, state]));
}
