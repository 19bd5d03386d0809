/** A provider's credit: an amount, given or paid before, that pays for a selection of its models until it is used up or expires. */
import type { Amount } from '#kernel/money.ts';

/** `prepayment`: it was paid for, so what expires is a cost. */
export const CREDIT_KINDS = ['credit', 'prepayment'] as const;
type CreditKind = (typeof CREDIT_KINDS)[number];

export interface ProviderCreditTerms {
  readonly kind: CreditKind;
  readonly name: string;
  readonly providerSlug: string;
  /** In lower case, with `*` at the end for a prefix; null: all. */
  readonly models: readonly string[] | null;
  /** Token classes as named on the wire, or names of unit prices; null: all. */
  readonly classes: readonly string[] | null;
  /** USD. */
  readonly amount: Amount;
  /** First UTC day. */
  readonly fromDay: string;
  /** The day after the last; null: never expires. */
  readonly untilDay: string | null;
  /** Credits with an order are used before those without, lowest first. */
  readonly burnOrder: number | null;
}

export interface ProviderCredit extends ProviderCreditTerms {
  readonly id: string;
  /** Counts changes of the terms. */
  readonly revision: number;
  /** A removed credit pays for nothing; what it paid for is reverted. */
  readonly isRemoved: boolean;
  readonly changedAt: Date;
}

/** What a model cost on a day, for one class. */
export interface CostCell {
  readonly provider: string;
  /** In lower case. */
  readonly model: string;
  readonly chargeClass: string;
  readonly cost: Amount;
}

export interface CostDay {
  /** `2026-10-01` */
  readonly day: string;
  readonly cells: readonly CostCell[];
}

export function pays(
  { providerSlug, models, classes }: Pick<ProviderCreditTerms, 'providerSlug' | 'models' | 'classes'>,
  { provider, model, chargeClass }: CostCell,
): boolean {
  return (
    provider === providerSlug &&
    (classes === null || classes.includes(chargeClass)) &&
    (models === null ||
      models.some((name) => (name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : name === model)))
  );
}
