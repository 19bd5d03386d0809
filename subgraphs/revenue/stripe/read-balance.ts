/** Customer balance spent per invoice. */
import { z } from 'zod';
import { epochSeconds, minorUnits, objectId, optionalIdOf, readObject } from './read-object.ts';

export interface BalanceTransaction {
  readonly id: string;
  readonly type: string;
  /** Minor units; negative for a credit to the customer. */
  readonly amountMinor: bigint;
  readonly invoiceId: string | null;
  readonly customerId: string | null;
  readonly created: number;
}

const shape = z.object({
  id: objectId,
  type: z.string(),
  amount: minorUnits,
  invoice: optionalIdOf,
  customer: optionalIdOf,
  created: epochSeconds,
});

/** Throws an `UnreadableObject`. */
export function readBalanceTransaction(raw: unknown): BalanceTransaction {
  const { id, type, amount, invoice, customer, created } = readObject(shape, raw, 'a balance transaction');
  return { id, type, amountMinor: amount, invoiceId: invoice, customerId: customer, created };
}

/**
 * Types of credit that the seller added by hand. Money received for such a credit is counted as its own invoice or
 * charge, so spending the credit earns nothing. All other credit (downgrade, credit note, overpayment) was never
 * counted, or was taken back.
 */
const GIVEN_BY_HAND = new Set(['adjustment', 'initial']);

/**
 * Manually added credit spent on each invoice, in minor units. `transactions`: all of one customer, newest first as
 * listed by the processor. The oldest credit is spent first.
 */
export function givenCreditByInvoice(transactions: readonly BalanceTransaction[]): Map<string, bigint> {
  const credits: { isGiven: boolean; left: bigint }[] = [];
  const spent = new Map<string, bigint>();
  const spend = (amount: bigint): bigint => {
    let [left, given] = [amount, 0n];
    for (const credit of credits) {
      const part = credit.left < left ? credit.left : left;
      credit.left -= part;
      left -= part;
      if (credit.isGiven) given += part;
    }
    return given;
  };
  const inOrder = [...transactions].reverse().sort((a, b) => a.created - b.created);
  for (const { type, amountMinor, invoiceId } of inOrder) {
    if (amountMinor > 0n) {
      const given = spend(amountMinor);
      if (invoiceId !== null && type === 'applied_to_invoice')
        spent.set(invoiceId, (spent.get(invoiceId) ?? 0n) + given);
    } else if (type === 'unapplied_from_invoice' && invoiceId !== null) {
      const given = spent.get(invoiceId) ?? 0n;
      spent.delete(invoiceId);
      credits.unshift({ isGiven: true, left: given }, { isGiven: false, left: -amountMinor - given });
    } else credits.push({ isGiven: GIVEN_BY_HAND.has(type), left: -amountMinor });
  }
  return spent;
}
