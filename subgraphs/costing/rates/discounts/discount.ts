/** Discounts that an organization agreed with a provider: a percentage off the list price (decision 87). */
import { ONE, quantity, type Quantity } from '#kernel/money.ts';
import type { MatchableCard } from '../matching/match-rate-card.ts';

export interface Discount {
  /** Name of the agreement, for display. */
  readonly agreement: string;
  readonly providerSlug: string;
  /** In lower case; a name that ends with `*` matches all models that begin with the part before it. Null: all models. */
  readonly models: readonly string[] | null;
  /** Token classes as named on the wire, `units`, or names of unit prices. Null: everything that is charged. */
  readonly classes: readonly string[] | null;
  /** Above 0, at most 100. */
  readonly percent: Quantity;
  /** Milliseconds since 1970, inclusive. */
  readonly fromMs: number;
  /** Exclusive; null if there is no end. */
  readonly untilMs: number | null;
}

export const NO_DISCOUNTS: readonly Discount[] = [];

/** The discounts that apply to a card, at any time. None for an organization's own cards, which have contracted prices. */
export function discountsOf(
  discounts: readonly Discount[],
  { organizationId, providerSlug, modelSlug, names }: Omit<MatchableCard, 'id' | 'matchKind'>,
): readonly Discount[] {
  if (discounts.length === 0 || organizationId !== null) return NO_DISCOUNTS;
  const all = [modelSlug.toLowerCase(), ...names];
  return discounts.filter(
    ({ providerSlug: of, models }) =>
      of === providerSlug && (models === null || models.some((model) => all.some((name) => stands(model, name)))),
  );
}

/**
 * The part of the price that remains to be paid, as a factor, and the discount that applies: the largest one. Null: no
 * discount applies.
 */
export function discountAt(
  discounts: readonly Discount[],
  item: string,
  atMs: number,
): { readonly factor: Quantity; readonly discount: Discount } | null {
  let largest: Discount | null = null;
  for (const discount of discounts) {
    const { classes, fromMs, untilMs, percent } = discount;
    if (atMs < fromMs || (untilMs !== null && atMs >= untilMs)) continue;
    if (classes !== null && !classes.includes(item)) continue;
    if (largest === null || percent.gt(largest.percent)) largest = discount;
  }
  return largest && { factor: ONE.minus(largest.percent.times(PERCENT)), discount: largest };
}

/**
 * The next instant after `afterMs` at which a discount begins or ends, in milliseconds since 1970; infinite if none
 * does.
 */
export function nextChange(discounts: readonly Discount[], afterMs: number): number {
  const changes = discounts.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs ?? Number.POSITIVE_INFINITY]);
  return Math.min(Number.POSITIVE_INFINITY, ...changes.filter((change) => change > afterMs));
}

function stands(model: string, name: string): boolean {
  return model.endsWith('*') ? name.startsWith(model.slice(0, -1)) : name === model;
}

const PERCENT = quantity('0.01');
