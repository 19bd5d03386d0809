/** What a Checkout session says about the payment that it ended with. */
import { z } from 'zod';
import { minorUnits, optionalIdOf, readObject } from './read-object.ts';

export interface CheckoutOfPayment {
  /** Of sessions that create invoices. */
  readonly invoiceId: string | null;
  /** Tax and shipping within the payment, in minor units; null: none of it is revenue, because it pays an invoice through the balance. */
  readonly notRevenueMinor: bigint | null;
}

const shape = z.object({
  mode: z.string().nullish(),
  invoice: optionalIdOf,
  payment_intent: optionalIdOf,
  total_details: z.object({ amount_tax: minorUnits.nullish(), amount_shipping: minorUnits.nullish() }).nullish(),
});

/** The session among `sessions` that ended with this payment intent; null where there is none. */
export function readCheckout(sessions: readonly unknown[], paymentIntent: string): CheckoutOfPayment | null {
  const session = sessions
    .map((raw) => readObject(shape, raw, 'a Checkout session'))
    .find(({ payment_intent }) => payment_intent === paymentIntent);
  if (!session) return null;
  const { amount_tax, amount_shipping } = session.total_details ?? {};
  return {
    invoiceId: session.invoice,
    notRevenueMinor: session.mode === 'subscription' ? null : (amount_tax ?? 0n) + (amount_shipping ?? 0n),
  };
}
