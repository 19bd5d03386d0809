/** Charges and prices from the books, as the comparison uses them. */
import type { Money, Quantity } from '#kernel/money.ts';
import type { TokenClass } from '#schema/token-classes.ts';

/** A row of `charge_day`: day × provider × model × context × class × unit. */
export interface OwnCharge {
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  readonly context: string;
  /** Null for units other than tokens. */
  readonly tokenClass: TokenClass | null;
  readonly unit: string;
  readonly quantity: Quantity;
  /** At the catalogue's price; null if unknown. */
  readonly list: Money | null;
  /** As booked; null if a price is missing. Never compared as zero. */
  readonly amount: Money | null;
  /**
   * Set if the events' month was closed, so that the amount is booked on another day than the events. The day of the
   * events then has a charge with this amount, and the day of the booking one with the opposite amount; each names the
   * other's day here. The books show neither.
   */
  readonly otherDay?: string;
}

/** A price of the rate card for a model, by class, context and days. */
export interface KnownPrice {
  readonly model: string;
  readonly tokenClass: TokenClass;
  readonly context: string;
  /** USD per token. */
  readonly perToken: Money;
  /** First day, and the day after the last; null for no limit. */
  readonly from: string | null;
  readonly until: string | null;
  /** True for a price of the organization's own card, which takes precedence over the standard card of the model. */
  readonly isNegotiated: boolean;
}
