/** What the books say about a day, and the prices they know. */
import type { Money, Quantity } from '#kernel/money.ts';
import type { TokenClass } from '#schema/token-classes.ts';

/** A row of `charge_day`: day × provider × model × context × class × unit. */
export interface OwnCharge {
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  readonly context: string;
  /** Null for what is not counted in tokens. */
  readonly tokenClass: TokenClass | null;
  readonly unit: string;
  readonly quantity: Quantity;
  /** At the price of the catalogue; null if it is not known. */
  readonly list: Money | null;
  /** As booked; null if a price is missing. An unknown amount is never compared as zero. */
  readonly amount: Money | null;
}

/** A price of the card that prices a model: by class, context and days. */
export interface KnownPrice {
  readonly model: string;
  readonly tokenClass: TokenClass;
  readonly context: string;
  /** USD per token. */
  readonly perToken: Money;
  /** Days for which it applies; null means without limit. */
  readonly from: string | null;
  readonly until: string | null;
}
