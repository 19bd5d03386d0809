/** The result of comparing a bill with the books: verdicts by day and model, and the cause of each part of a difference. */
import type { Money, Quantity } from '#kernel/money.ts';
import type { TokenClass } from '#schema/token-classes.ts';

/** Causes in the order in which they are tested. */
export type BillCause =
  | 'SETTLING'
  | 'NOT_TRACKED'
  | 'CLOSED_MONTH'
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
  | 'ROUNDING'
  | 'ADJUSTMENT';

/** A signed share of a difference. */
export interface CauseShare {
  readonly cause: BillCause;
  readonly amount: Money;
  /** One short sentence with the figures behind the share. */
  readonly detail: string;
  readonly tokenClass?: TokenClass;
  readonly context?: string;
  readonly scopes?: readonly string[];
  /** USD per million tokens. */
  readonly price?: Money;
  readonly percent?: Quantity;
}

/** True for costs that are understood but have no usage events, except those of a scope marked as not tracked. */
export function isWithoutEvents({ cause, scopes }: Pick<CauseShare, 'cause' | 'scopes'>): boolean {
  return cause === 'NOT_TRACKED' && scopes === undefined;
}

export type BillVerdict = 'AGREES' | 'EXPLAINED' | 'DIFFERS' | 'UNKNOWN';
export type BillDayState = 'OPEN' | 'SETTLING' | 'SETTLED';

/** One model on one day. */
export interface BillDifference {
  readonly lastDay: string;
  /** Null for lines without a model, which are compared with the remaining charges in the books. */
  readonly model: string | null;
  /** Unit of lines that have a unit instead of a model, such as `searches`. */
  readonly unit: string | null;
  /** A currency whose exchange rate does not follow from the bill; its amounts are not compared. */
  readonly unknownCurrency: string | null;
  readonly billedQuantity: Quantity | null;
  readonly ownQuantity: Quantity;
  readonly billed: Money;
  /** Null if an amount in the books is unknown. */
  readonly own: Money | null;
  /** Null if `own` or the exchange rate is unknown. */
  readonly difference: Money | null;
  readonly causes: readonly CauseShare[];
  /** `difference` minus all shares. */
  readonly unexplained: Money | null;
  readonly quantityVerdict: BillVerdict;
  readonly amountVerdict: BillVerdict;
  /** Names of lines that no verified rule reads, largest amount first. */
  readonly unreadNames: readonly string[];
}

/** The amount that an acceptance closes: the unexplained part, or what is billed in an unknown currency. */
export function openAmount({ unexplained, unknownCurrency, billed }: BillDifference): Money | null {
  return unknownCurrency === null ? unexplained : billed;
}

export interface BillDay {
  readonly day: string;
  readonly lastDay: string;
  readonly state: BillDayState;
  /** Percentage of the billed usage that verified rules read. */
  readonly coverage: Quantity;
  readonly currencies: readonly string[];
  readonly billed: Money;
  readonly own: Money | null;
  readonly difference: Money | null;
  readonly unexplained: Money | null;
  readonly quantityVerdict: BillVerdict;
  readonly amountVerdict: BillVerdict;
  readonly differences: readonly BillDifference[];
}
