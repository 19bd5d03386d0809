/** Credit notes, refunds and disputes of the stand-in. */
import { find, newId, put, type StripeAccount, type StripeObject } from './account.ts';
import { paymentIntentOf } from './invoices.ts';
import type { Settlement } from './payments.ts';

/** Returns the refund's id. */
export function addRefund(
  account: StripeAccount,
  {
    invoice,
    paymentIntent,
    amount,
    status = 'succeeded',
    settlement,
  }: {
    invoice?: string;
    paymentIntent?: string;
    amount: number;
    status?: string;
    /** Conversion into the account's currency, at the rate of the refund's day; `amount` is negative. */
    settlement?: Settlement;
  },
): string {
  const intent = paymentIntent ?? paymentIntentOf(account, invoice ?? '');
  const id = newId(account, 're');
  if (settlement !== undefined)
    put(
      account,
      'balance_transactions',
      {
        id: `txn_${id}`,
        object: 'balance_transaction',
        amount: settlement.amount,
        created: account.now,
        currency: settlement.currency,
        exchange_rate: settlement.exchangeRate,
        fee: settlement.fee,
        net: settlement.amount - settlement.fee,
        source: id,
        status: 'available',
        type: 'refund',
      },
      null,
    );
  const refund = {
    id,
    object: 'refund',
    created: account.now,
    amount,
    currency: currencyOf(account, intent),
    status,
    payment_intent: intent,
    charge: chargeOf(account, intent),
    reason: 'requested_by_customer',
    balance_transaction: settlement === undefined ? null : `txn_${id}`,
    metadata: {},
  };
  return put(account, 'refunds', refund, 'refund.created').id;
}

export function setRefundStatus(account: StripeAccount, id: string, status: string): void {
  put(account, 'refunds', { ...find(account, 'refunds', id), status }, 'refund.updated');
}

export interface CreditDraft {
  /** Null for a credit without a line. */
  line: string | null;
  amount: number;
  discount?: number;
  inclusiveTax?: number;
}

/**
 * Returns the credit note's id. `refund` is the refund that returns the money, `refundAmount` the part linked to this
 * note.
 */
export function addCreditNote(
  account: StripeAccount,
  {
    invoice,
    credits,
    total,
    shipping = 0,
    refund,
    refundAmount,
    outOfBand = null,
  }: {
    invoice: string;
    credits: readonly CreditDraft[];
    /** Total of a note created by amount, beyond its lines. */
    total?: number;
    shipping?: number;
    refund?: string;
    refundAmount?: number;
    outOfBand?: number | null;
  },
): string {
  const id = newId(account, 'cn');
  const lines = credits.map((credit): StripeObject => ({
    id: newId(account, 'cnli'),
    object: 'credit_note_line_item',
    created: account.now,
    amount: credit.amount,
    discount_amount: credit.discount ?? 0,
    discount_amounts: credit.discount ? [{ amount: credit.discount, discount: 'di_stand_in' }] : [],
    pretax_credit_amounts: [],
    taxes: credit.inclusiveTax
      ? [{ amount: credit.inclusiveTax, tax_behavior: 'inclusive', type: 'tax_rate_details' }]
      : [],
    livemode: true,
    type: credit.line === null ? 'custom_line_item' : 'invoice_line_item',
    ...(credit.line === null ? {} : { invoice_line_item: credit.line }),
  }));
  account.lines.set(id, lines);
  const noted = find(account, 'invoices', invoice);
  const ofLines = lines.reduce((sum, line) => sum + Number(line['amount']) - Number(line['discount_amount']), 0);
  const amount = total ?? ofLines + shipping;
  const taxes = lines.flatMap((line) => line['taxes'] as { amount: number }[]);
  put(
    account,
    'credit_notes',
    {
      id,
      object: 'credit_note',
      created: account.now,
      invoice,
      customer: noted['customer'],
      amount,
      total: amount,
      total_excluding_tax: amount - taxes.reduce((sum, tax) => sum + tax.amount, 0),
      total_taxes: taxes,
      amount_shipping: shipping,
      shipping_cost: shipping === 0 ? null : { amount_subtotal: shipping, amount_tax: 0, amount_total: shipping },
      out_of_band_amount: outOfBand,
      currency: noted['currency'],
      status: 'issued',
      livemode: true,
      metadata: {},
      type: noted['status'] === 'open' ? 'pre_payment' : 'post_payment',
      refunds: refund
        ? [
            {
              amount_refunded: refundAmount ?? Number(find(account, 'refunds', refund)['amount']),
              refund,
              type: 'refund',
              payment_record_refund: null,
            },
          ]
        : [],
    },
    'credit_note.created',
  );
  if (noted['status'] === 'open') {
    const less = (field: string) => Number(noted[field]) - amount;
    const due = { amount_due: less('amount_due'), amount_remaining: less('amount_remaining') };
    put(account, 'invoices', { ...noted, ...due }, 'invoice.updated');
  }
  return id;
}

export function voidCreditNote(account: StripeAccount, id: string): void {
  put(
    account,
    'credit_notes',
    { ...find(account, 'credit_notes', id), status: 'void', voided_at: account.now },
    'credit_note.voided',
  );
}

export function addDispute(
  account: StripeAccount,
  {
    invoice,
    paymentIntent,
    amount,
    status = 'needs_response',
    settlement,
    statesRate = true,
  }: {
    invoice?: string;
    paymentIntent?: string;
    amount: number;
    status?: string;
    /** Withdrawal from the account, at the rate of the dispute's day; `amount` is negative. */
    settlement?: Settlement;
    /** False: the conversion shows only in the amounts. Stripe has sent such disputes. */
    statesRate?: boolean;
  },
): string {
  const intent = paymentIntent ?? paymentIntentOf(account, invoice ?? '');
  const id = newId(account, 'dp');
  const dispute = {
    id,
    object: 'dispute',
    created: account.now,
    amount,
    currency: currencyOf(account, intent),
    status,
    payment_intent: intent,
    charge: chargeOf(account, intent),
    reason: 'general',
    balance_transactions: settlement === undefined ? [] : [disputeTransaction(account, id, { settlement, statesRate })],
    metadata: {},
    livemode: true,
  };
  return put(account, 'disputes', dispute, 'charge.dispute.created').id;
}

/** Returns funds of a dispute; `amount` is positive. */
export function reinstateDispute(account: StripeAccount, id: string, settlement: Settlement): void {
  const dispute = find(account, 'disputes', id);
  const moved = [
    ...(dispute['balance_transactions'] as StripeObject[]),
    disputeTransaction(account, id, { settlement, statesRate: true }),
  ];
  put(account, 'disputes', { ...dispute, balance_transactions: moved }, 'charge.dispute.funds_reinstated');
}

function disputeTransaction(
  account: StripeAccount,
  dispute: string,
  { settlement, statesRate }: { settlement: Settlement; statesRate: boolean },
): StripeObject {
  return {
    id: newId(account, 'txn'),
    object: 'balance_transaction',
    amount: settlement.amount,
    created: account.now,
    currency: settlement.currency,
    exchange_rate: statesRate ? settlement.exchangeRate : null,
    fee: settlement.fee,
    net: settlement.amount - settlement.fee,
    reporting_category: settlement.amount < 0 ? 'dispute' : 'dispute_reversal',
    source: dispute,
    status: 'available',
    type: 'adjustment',
  };
}

export function closeDispute(account: StripeAccount, id: string, status: string): void {
  put(account, 'disputes', { ...find(account, 'disputes', id), status }, 'charge.dispute.updated');
}

function chargeOf(account: StripeAccount, paymentIntent: string): string | null {
  return [...account.objects.charges.values()].find((charge) => charge['payment_intent'] === paymentIntent)?.id ?? null;
}

function currencyOf(account: StripeAccount, paymentIntent: string): unknown {
  return (
    [...account.objects.charges.values()].find((charge) => charge['payment_intent'] === paymentIntent)?.['currency'] ??
    'usd'
  );
}
