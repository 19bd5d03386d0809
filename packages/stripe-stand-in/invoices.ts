/** Creates, pays, changes and voids invoices. */
import {
  find,
  type InvoiceDraft,
  type LineDraft,
  newId,
  recordEvent,
  put,
  type StripeAccount,
  type StripeObject,
} from './account.ts';
import { addBalance, addCharge, balanceOf, type Settlement } from './payments.ts';

/** Returns the invoice's id. A paid invoice gets a payment intent and a charge. */
export function addInvoice(account: StripeAccount, draft: InvoiceDraft): string {
  const id = newId(account, 'in');
  const currency = draft.currency ?? 'usd';
  const lines = draft.lines.map((line) => toLine(account, id, currency, line, draft.subscription ?? null));
  account.lines.set(id, lines);
  const shipping = draft.shipping ?? 0;
  const total = lines.reduce((sum, line) => sum + totalOf(line), 0) + shipping;
  const fromBalance = draft.fromBalance ?? 0;
  const startingBalance = draft.customer === null ? 0 : balanceOf(account, draft.customer);
  const status = draft.status ?? 'paid';
  put(
    account,
    'invoices',
    {
      id,
      object: 'invoice',
      created: draft.created ?? account.now,
      customer: draft.customer,
      customer_account: draft.customerAccount ?? null,
      customer_name: null,
      currency,
      status: 'open',
      total,
      amount_due: total - fromBalance,
      amount_paid: 0,
      amount_remaining: total - fromBalance,
      amount_overpaid: 0,
      amount_shipping: shipping,
      shipping_cost: shipping === 0 ? null : { amount_subtotal: shipping, amount_tax: 0, amount_total: shipping },
      starting_balance: startingBalance,
      ending_balance: startingBalance + fromBalance,
      total_taxes: lines.flatMap((line) => line['taxes']),
      metadata: {},
      livemode: true,
      pre_payment_credit_notes_amount: 0,
      post_payment_credit_notes_amount: 0,
      parent: draft.subscription
        ? {
            type: 'subscription_details',
            subscription_details: { subscription: draft.subscription, metadata: {} },
            quote_details: null,
          }
        : null,
    },
    'invoice.created',
  );
  if (fromBalance > 0 && draft.customer !== null)
    addBalance(account, draft.customer, { amount: fromBalance, type: 'applied_to_invoice', invoice: id });
  if (status === 'paid') payInvoice(account, id, undefined, draft.settlement);
  else put(account, 'invoices', { ...find(account, 'invoices', id), status }, null);
  return id;
}

/**
 * Returns the payment intent's id. `received` may exceed the remaining amount; if it is less, the invoice stays open.
 */
export function payInvoice(account: StripeAccount, id: string, received?: number, settlement?: Settlement): string {
  const invoice = find(account, 'invoices', id);
  const remaining = Number(invoice['amount_remaining']);
  const amount = Math.min(received ?? remaining, remaining);
  const paymentIntent = addCharge(account, {
    customer: invoice['customer'] as string | null,
    amount: received ?? remaining,
    currency: String(invoice['currency']),
    ...(settlement ? { settlement } : {}),
  });
  addPayment(account, id, paymentIntent, amount);
  const paid = {
    amount_paid: Number(invoice['amount_paid']) + amount,
    amount_remaining: remaining - amount,
    status: amount === remaining ? 'paid' : invoice['status'],
  };
  put(account, 'invoices', { ...invoice, ...paid }, amount === remaining ? 'invoice.paid' : 'invoice.updated');
  return paymentIntent;
}

/** Marks an open invoice as uncollectible. */
export function writeOffInvoice(account: StripeAccount, id: string): void {
  put(
    account,
    'invoices',
    { ...find(account, 'invoices', id), status: 'uncollectible' },
    'invoice.marked_uncollectible',
  );
}

/** Assigns part of a payment to an invoice. A payment may pay several invoices. */
export function addPayment(account: StripeAccount, invoice: string, paymentIntent: string, amount: number): void {
  put(
    account,
    'invoice_payments',
    {
      id: newId(account, 'inpay'),
      object: 'invoice_payment',
      created: account.now,
      invoice,
      amount_paid: amount,
      amount_requested: amount,
      currency: find(account, 'invoices', invoice)['currency'],
      is_default: true,
      livemode: true,
      status: 'paid',
      payment: { type: 'payment_intent', payment_intent: paymentIntent },
      status_transitions: { paid_at: account.now, canceled_at: null },
    },
    'invoice_payment.paid',
  );
}

export function voidInvoice(account: StripeAccount, id: string): void {
  put(account, 'invoices', { ...find(account, 'invoices', id), status: 'void' }, 'invoice.voided');
}

/** Changes a line even of a paid invoice, which Stripe does not do: the sync must still notice. */
export function changeLine(account: StripeAccount, lineId: string, changes: Record<string, unknown>): void {
  for (const [invoice, lines] of account.lines) {
    const line = lines.find(({ id }) => id === lineId);
    if (line === undefined) continue;
    Object.assign(line, changes);
    recordEvent(account, 'invoice.updated', find(account, 'invoices', invoice));
  }
}

export function removeLine(account: StripeAccount, invoice: string, lineId: string): void {
  account.lines.set(
    invoice,
    linesOf(account, invoice).filter(({ id }) => id !== lineId),
  );
  recordEvent(account, 'invoice.updated', find(account, 'invoices', invoice));
}

export function linesOf(account: StripeAccount, parent: string): StripeObject[] {
  return account.lines.get(parent) ?? [];
}

export function paymentIntentOf(account: StripeAccount, invoice: string): string {
  const payment = [...account.objects.invoice_payments.values()].find((candidate) => candidate['invoice'] === invoice);
  if (payment === undefined) throw new Error(`The stand-in has no payment of ${invoice}`);
  return (payment['payment'] as { payment_intent: string }).payment_intent;
}

function toLine(
  account: StripeAccount,
  invoice: string,
  currency: string,
  draft: LineDraft,
  subscription: string | null,
): StripeObject {
  const taxes = [
    ...(draft.inclusiveTax ? [tax(draft.inclusiveTax, 'inclusive')] : []),
    ...(draft.exclusiveTax ? [tax(draft.exclusiveTax, 'exclusive')] : []),
  ];
  const discounts = draft.discount ? [{ amount: draft.discount, discount: 'di_stand_in' }] : [];
  return {
    id: newId(account, 'il'),
    object: 'line_item',
    created: account.now,
    invoice,
    currency,
    amount: draft.amount,
    subtotal: draft.amount - (draft.inclusiveTax ?? 0),
    description: draft.description ?? null,
    discountable: !draft.proration,
    discount_amounts: discounts,
    pretax_credit_amounts: [
      ...discounts.map((discount) => ({ ...discount, type: 'discount' })),
      ...(draft.creditGrant
        ? [
            {
              amount: draft.creditGrant,
              credit_balance_transaction: 'cbtxn_stand_in',
              type: 'credit_balance_transaction',
            },
          ]
        : []),
    ],
    taxes,
    period: { start: draft.start, end: draft.end },
    livemode: true,
    metadata: {},
    parent: subscription
      ? {
          type: 'subscription_item_details',
          subscription_item_details: {
            subscription,
            subscription_item: 'si_stand_in',
            proration: draft.proration ?? false,
          },
        }
      : {
          type: 'invoice_item_details',
          invoice_item_details: {
            invoice_item: 'ii_stand_in',
            proration: draft.proration ?? false,
            subscription: null,
          },
        },
  };
}

function tax(amount: number, behavior: 'inclusive' | 'exclusive'): Record<string, unknown> {
  return {
    amount,
    tax_behavior: behavior,
    taxability_reason: 'standard_rated',
    taxable_amount: null,
    type: 'tax_rate_details',
    tax_rate_details: { tax_rate: 'txr_stand_in' },
  };
}

function totalOf(line: StripeObject): number {
  const sum = (parts: unknown) => parts as { amount: number; tax_behavior?: string; type?: string }[];
  const discounts = sum(line['discount_amounts']).reduce((whole, { amount }) => whole + amount, 0);
  const grants = sum(line['pretax_credit_amounts'])
    .filter(({ type }) => type === 'credit_balance_transaction')
    .reduce((whole, { amount }) => whole + amount, 0);
  const onTop = sum(line['taxes'])
    .filter(({ tax_behavior }) => tax_behavior === 'exclusive')
    .reduce((whole, { amount }) => whole + amount, 0);
  return Number(line['amount']) - discounts - grants + onTop;
}
