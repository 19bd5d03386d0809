/** The result of comparing a bill with the books: two verdicts a day, and who is to blame for each part of a difference. */
import type { Money, Quantity } from '#kernel/money.ts';
import type { TokenClass } from '#schema/token-classes.ts';

/** In the order in which they take their share. */
export type BillCause =
  | 'SETTLING'
  | 'NOT_TRACKED'
  | 'CURRENCY'
  | 'CREDIT'
  | 'DISCOUNT'
  | 'DAY_SHIFT'
  | 'SILENT_SCOPE'
  | 'MISSING_EVENTS'
  | 'EXTRA_EVENTS'
  | 'TOKEN_CLASSES'
  | 'CONTEXT'
  | 'OTHER_PRICE'
  | 'NEW_PRICE'
  | 'ROUNDING';

/** A signed share of a difference. */
export interface CauseShare {
  readonly cause: BillCause;
  readonly amount: Money;
  /** One short sentence with the figures that prove it. */
  readonly detail: string;
  readonly tokenClass?: TokenClass;
  readonly context?: string;
  readonly scopes?: readonly string[];
  /** USD per million tokens. */
  readonly price?: Money;
  readonly percent?: Money;
}

export type BillVerdict = 'AGREES' | 'EXPLAINED' | 'DIFFERS' | 'UNKNOWN';
export type BillDayState = 'OPEN' | 'SETTLING' | 'SETTLED';

/** A model of a day. Null: lines that name no model, with whatever the books have left. */
export interface BillDifference {
  readonly model: string | null;
  readonly billedQuantity: Quantity | null;
  readonly ownQuantity: Quantity;
  readonly billed: Money;
  /** Null if the books do not know all amounts. */
  readonly own: Money | null;
  readonly difference: Money | null;
  readonly causes: readonly CauseShare[];
  /** `difference` minus all shares. */
  readonly unexplained: Money | null;
  readonly quantityVerdict: BillVerdict;
  readonly amountVerdict: BillVerdict;
}

export interface BillDay {
  readonly day: string;
  readonly lastDay: string;
  readonly state: BillDayState;
  /** Percent of the billed amount that verified rules read. */
  readonly coverage: Money;
  readonly currencies: readonly string[];
  readonly billed: Money;
  readonly own: Money | null;
  readonly difference: Money | null;
  readonly unexplained: Money | null;
  readonly quantityVerdict: BillVerdict;
  readonly amountVerdict: BillVerdict;
  readonly differences: readonly BillDifference[];
}
