/** Charges with their payment intents and Checkout sessions, and customer balances. */
import { newId, put, type StripeAccount } from './account.ts';

export interface ChargeDraft {
  customer: string | null;
  amount: number;
  /** Captured amount. If less than `amount`, the rest was only authorized. */
  captured?: number;
  currency?: string;
  status?: 'succeeded' | 'pending' | 'failed';
  metadata?: Record<string, string>;
  /** Checkout session of the charge, with its tax and shipping. */
  checkout?: { tax?: number; shipping?: number; invoice?: string };
  /** Conversion into the account's currency. Default: the account has the charge's currency. */
  settlement?: Settlement;
}

export interface Settlement {
  currency: string;
  /** Units of `currency` for one unit of the charge's currency; null if they are the same. */
  exchangeRate: number | null;
  /** In minor units of `currency`. */
  amount: number;
  fee: number;
}

/**
 * Adds a charge and its payment intent; returns the intent's id. By itself this is a one-time payment without an
 * invoice.
 */
export function addCharge(
  account: StripeAccount,
  {
    customer,
    amount,
    captured = amount,
    currency = 'usd',
    status = 'succeeded',
    metadata = {},
    checkout,
    settlement,
  }: ChargeDraft,
): string {
  const paymentIntent = newId(account, 'pi');
  const id = newId(account, 'ch');
  const balanceTransaction = {
    id: `txn_${id}`,
    object: 'balance_transaction',
    amount: settlement?.amount ?? captured,
    created: account.now,
    currency: settlement?.currency ?? currency,
    exchange_rate: settlement?.exchangeRate ?? null,
    fee: settlement?.fee ?? 0,
    net: (settlement?.amount ?? captured) - (settlement?.fee ?? 0),
    source: id,
    status: 'available',
    type: 'charge',
  };
  const common = { created: account.now, amount, currency, customer, livemode: true, metadata };
  put(
    account,
    'payment_intents',
    { ...common, id: paymentIntent, object: 'payment_intent', status: 'succeeded', latest_charge: id },
    null,
  );
  put(account, 'balance_transactions', balanceTransaction, null);
  put(
    account,
    'charges',
    {
      ...common,
      id,
      object: 'charge',
      amount_captured: captured,
      amount_refunded: 0,
      balance_transaction: balanceTransaction.id,
      captured: true,
      paid: status === 'succeeded',
      payment_intent: paymentIntent,
      status,
    },
    `charge.${status}`,
  );
  if (checkout) {
    const session = {
      id: newId(account, 'cs_live'),
      object: 'checkout.session',
      created: account.now,
      mode: 'payment',
      status: 'complete',
      payment_status: 'paid',
      amount_total: amount,
      currency,
      customer,
      invoice: checkout.invoice ?? null,
      payment_intent: paymentIntent,
      total_details: { amount_discount: 0, amount_shipping: checkout.shipping ?? 0, amount_tax: checkout.tax ?? 0 },
    };
    put(account, 'checkout_sessions', session, 'checkout.session.completed');
  }
  return paymentIntent;
}

/** Adds a transaction to a customer's balance. A negative amount is a credit to the customer. */
export function addBalance(
  account: StripeAccount,
  customer: string,
  {
    amount,
    type = 'adjustment',
    invoice,
    creditNote,
  }: { amount: number; type?: string; invoice?: string; creditNote?: string },
): void {
  const transaction = {
    id: newId(account, 'cbtxn'),
    object: 'customer_balance_transaction',
    created: account.now,
    amount,
    currency: 'usd',
    customer,
    customer_account: null,
    type,
    invoice: invoice ?? null,
    credit_note: creditNote ?? null,
    ending_balance: balanceOf(account, customer) + amount,
    livemode: true,
    metadata: {},
  };
  put(account, 'customer_balance_transactions', transaction, 'customer_balance_transaction.created');
}

/** A customer's balance; negative for a credit. */
export function balanceOf(account: StripeAccount, customer: string): number {
  return [...account.objects.customer_balance_transactions.values()]
    .filter((transaction) => transaction['customer'] === customer)
    .reduce((sum, transaction) => sum + Number(transaction['amount']), 0);
}
