/** What the stand-in's customers pay: charges with their payment intents and Checkout sessions, and balances. */
import { newId, put, type StripeAccount } from './account.ts';

export interface ChargeDraft {
  customer: string | null;
  amount: number;
  /** Less than the amount: the rest was only authorized. */
  captured?: number;
  currency?: string;
  status?: 'succeeded' | 'pending' | 'failed';
  metadata?: Record<string, string>;
  /** The Checkout session that ends with it, and what of the amount is tax and shipping. */
  checkout?: { tax?: number; shipping?: number; invoice?: string };
}

/** A charge with its payment intent, whose id it returns. Alone it is a one-time payment without an invoice. */
export function addCharge(
  account: StripeAccount,
  { customer, amount, captured = amount, currency = 'usd', status = 'succeeded', metadata = {}, checkout }: ChargeDraft,
): string {
  const paymentIntent = newId(account, 'pi');
  const id = newId(account, 'ch');
  const common = { created: account.now, amount, currency, customer, livemode: true, metadata };
  put(
    account,
    'payment_intents',
    { ...common, id: paymentIntent, object: 'payment_intent', status: 'succeeded', latest_charge: id },
    null,
  );
  put(
    account,
    'charges',
    {
      ...common,
      id,
      object: 'charge',
      amount_captured: captured,
      amount_refunded: 0,
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

/** A change of a customer's balance; a negative amount is a credit to the customer. */
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

/** Negative: the customer's credit. */
export function balanceOf(account: StripeAccount, customer: string): number {
  return [...account.objects.customer_balance_transactions.values()]
    .filter((transaction) => transaction['customer'] === customer)
    .reduce((sum, transaction) => sum + Number(transaction['amount']), 0);
}
