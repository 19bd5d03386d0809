/** Parses charges. A charge that paid no invoice, e.g. of a one-time Checkout or Payment Link, is revenue itself. */
import { z } from 'zod';
import { UnreadableObject } from './processor-error.ts';
import {
  currencyCode,
  customerOf,
  customerShape,
  epochSeconds,
  minorUnits,
  objectId,
  optionalIdOf,
  readObject,
} from './read-object.ts';
import { balanceTransactionOf, type Settlement, settlementOf } from './read-settlement.ts';
import { CHARGE_ARRIVED, meaningOf } from './status-words.ts';

/**
 * Metadata of a charge or its payment intent that spreads it over a period. Without it, a charge counts at its
 * creation.
 */
const PERIOD_START_KEY = 'service_period_start';
const PERIOD_END_KEY = 'service_period_end';

export interface SyncedCharge {
  readonly id: string;
  readonly paymentIntentId: string | null;
  /** Set only by older API versions. */
  readonly invoiceId: string | null;
  readonly customerId: string | null;
  readonly currency: string;
  /** Amount received, in minor units; 0 if nothing was captured or the charge failed. */
  readonly capturedMinor: bigint;
  /** Seconds since 1970. */
  readonly periodStart: number;
  readonly periodEnd: number;
  readonly created: number;
  /** How the processor converted the payment; null if it did not convert it, or has not yet. */
  readonly settlement: Settlement | null;
  /** The processor's fee; null if it is unknown. */
  readonly fee: ProcessorFee | null;
}

interface ProcessorFee {
  /** Minor units. */
  readonly amountMinor: bigint;
  /** Currency of the account, ISO 4217, lower case. */
  readonly currency: string;
}

const metadata = z.record(z.string(), z.unknown()).nullish();

const shape = z.object({
  ...customerShape,
  id: objectId,
  status: z.string().nullish(),
  amount: minorUnits,
  amount_captured: minorUnits.nullish(),
  captured: z.boolean().nullish(),
  currency: currencyCode,
  created: epochSeconds,
  invoice: optionalIdOf,
  payment_intent: optionalIdOf,
  metadata,
});

/** Expanded payment intent, which contains customers of Accounts v2, and metadata that was added later. */
const expanded = z.object({
  payment_intent: z
    .object({ ...customerShape, metadata })
    .nullish()
    .catch(null),
});

/** Throws an `UnreadableObject`. */
export function readCharge(raw: unknown): SyncedCharge {
  const charge = readObject(shape, raw, 'a charge');
  const intent = expanded.parse(raw).payment_intent;
  const said = { ...charge.metadata, ...intent?.metadata };
  const periodStart = instantOf(charge.id, PERIOD_START_KEY, said) ?? charge.created;
  const arrived = meaningOf(CHARGE_ARRIVED, { ...charge, unsaid: true }) && charge.captured !== false;
  return {
    id: charge.id,
    paymentIntentId: charge.payment_intent,
    invoiceId: charge.invoice,
    customerId: customerOf(charge) ?? (intent ? customerOf(intent) : null),
    currency: charge.currency,
    capturedMinor: arrived ? (charge.amount_captured ?? charge.amount) : 0n,
    periodStart,
    periodEnd: Math.max(periodStart, instantOf(charge.id, PERIOD_END_KEY, said) ?? periodStart),
    created: charge.created,
    ...balanceOf(raw),
  };
}

function balanceOf(raw: unknown): Pick<SyncedCharge, 'settlement' | 'fee'> {
  const { balance_transaction: transaction } = balanceTransactionOf.parse(raw);
  const { currency = '', fee = null } = transaction ?? {};
  return {
    settlement: settlementOf(transaction),
    fee: fee === null ? null : { amountMinor: fee, currency },
  };
}

/** An ISO 8601 date or date-time, or seconds since 1970. */
function instantOf(id: string, key: string, said: Readonly<Record<string, unknown>>): number | null {
  const value = Object.hasOwn(said, key) ? said[key] : null;
  if (value === null || value === undefined || value === '') return null;
  const text = typeof value === 'string' ? value.trim() : '';
  const seconds = /^\d{9,11}$/.test(text)
    ? Number(text)
    : /^\d{4}-\d\d-\d\d/.test(text)
      ? Math.floor(Date.parse(text) / 1000)
      : Number.NaN;
  if (epochSeconds.safeParse(seconds).success) return seconds;
  throw new UnreadableObject(
    `The metadata ${key} of ${id.slice(0, 100)} is neither an ISO 8601 date nor a number of seconds since 1970`,
  );
}

export interface CheckoutOfPayment {
  /** Set if the session created an invoice. */
  readonly invoiceId: string | null;
  /**
   * Tax and shipping within the payment, in minor units; null if none of it is revenue, because it pays an invoice
   * through the balance.
   */
  readonly notRevenueMinor: bigint | null;
}

const session = z.object({
  mode: z.string().nullish(),
  invoice: optionalIdOf,
  payment_intent: optionalIdOf,
  total_details: z.object({ amount_tax: minorUnits.nullish(), amount_shipping: minorUnits.nullish() }).nullish(),
});

/** Finds the session of this payment intent; null if `sessions` does not contain it. */
export function readCheckout(sessions: readonly unknown[], paymentIntent: string): CheckoutOfPayment | null {
  const found = sessions
    .map((raw) => readObject(session, raw, 'a Checkout session'))
    .find(({ payment_intent }) => payment_intent === paymentIntent);
  if (!found) return null;
  const { amount_tax, amount_shipping } = found.total_details ?? {};
  return {
    invoiceId: found.invoice,
    notRevenueMinor: found.mode === 'subscription' ? null : (amount_tax ?? 0n) + (amount_shipping ?? 0n),
  };
}
