/**
 * A provider's credit: a given or prepaid amount that pays for a selection of its models until it is used up or
 * expires.
 */
import type { Amount } from '#kernel/money.ts';
import type { CostSelection } from '../provider-costs/selected-costs.ts';

/** `prepayment`: the organization paid for it, so an expired rest is a cost. */
export const CREDIT_KINDS = ['credit', 'prepayment'] as const;
type CreditKind = (typeof CREDIT_KINDS)[number];

export interface ProviderCreditTerms extends CostSelection {
  readonly kind: CreditKind;
  readonly name: string;
  /** USD. */
  readonly amount: Amount;
  /** First UTC day. */
  readonly fromDay: string;
  /** The day after the last day; null if it never expires. */
  readonly untilDay: string | null;
  /** Credits with an order are used before credits without one, lowest order first. */
  readonly burnOrder: number | null;
}

export interface ProviderCredit extends ProviderCreditTerms {
  readonly id: string;
  /** Incremented whenever the terms change. */
  readonly revision: number;
  /** A removed credit pays for nothing, and its earlier payments are reverted. */
  readonly isRemoved: boolean;
  readonly changedAt: Date;
}
