/** Computes the exact cost of one event under one version of a rate card, class by class. */
import { type Money, quantity, type Quantity, sum, toLedger, ZERO } from '#kernel/money.ts';
import {
  byClass,
  type ByClass,
  byRate,
  type CountedClass,
  isRequired,
  TOKEN_CLASS_NAMES,
  TOKEN_CLASSES,
  type TokenClass,
  wireName,
} from '#schema/token-classes.ts';
import type { RateCardVersion } from '../rates/rate-card-version.ts';
import {
  type ContextRates,
  contextRates,
  contextUnitPrice,
  contextUnitRate,
  type PriceContext,
} from './context-rates.ts';
import type { TokenReading } from '#usage/counts/read-tokens.ts';

/** One line of the computed price. */
export type Charge = {
  /** A token class as named on the wire (`cache_creation_1h`), `units`, or the name of a unit price. */
  readonly item: string;
  readonly quantity: Quantity;
  /** USD per million tokens, or per unit. */
  readonly rate: Money;
  readonly per: 1 | 1_000_000;
  readonly cost: Money;
  /** Reason for the rate if the pricing context decided it, or a description of the line. */
  readonly why?: string;
  /** Set if it differs from the event's model. */
  readonly model?: string;
  /** Name of the agreement whose discount was subtracted. */
  readonly agreement?: string;
};

/**
 * USD. `total` is the exact sum of the others. `input` and `output` are the plain classes only. A cache or reasoning
 * cost is null if the event did not report the count; `units` is null if nothing is priced per unit.
 */
export type PricedEvent = ByClass<Money, Money | null> & {
  readonly kind: 'priced';
  readonly total: Money;
  readonly units: Money | null;
  /** Threshold of the tier that was used; null on the base level. */
  readonly tierAboveInputTokens: number | null;
  /** The pricing context used; empty for the standard price. */
  readonly context: string;
  /** Pairs of the context without a price, ignored by the organization's choice; empty if none. */
  readonly unknownContext: string;
  readonly charges: readonly Charge[];
};

/** The card cannot price the event yet: it stays `pending_rate_card`. */
export type WaitingEvent = { readonly kind: 'waiting'; readonly reason: string };

/**
 * `units` and `unitCounts` are from `read-units.ts`. The event waits if a class has tokens but no rate: a missing price
 * is reported, a wrong one would go unnoticed.
 */
export function priceEvent(
  tokens: TokenReading,
  version: RateCardVersion,
  units: Quantity | null,
  unitCounts: Readonly<Record<string, Quantity>>,
  priceContext: PriceContext = STANDARD,
): PricedEvent | WaitingEvent {
  if (version.perUnit) {
    if (!units) return { kind: 'waiting', reason: 'The model is priced per unit and the event has no units' };
    const unit = contextUnitRate(version, version.perUnit, priceContext);
    if (typeof unit === 'string') return { kind: 'waiting', reason: unit };
    const line = withReason(charge('units', units, unit.rate, 1), unit.why);
    return bill(tokens, [], [line, ...namedCharges(version, unitCounts, unit.context)], {
      ...unit,
      aboveInputTokens: null,
    });
  }

  const chosen = contextRates(version, tokens.totalInput, priceContext);
  if (typeof chosen === 'string') return { kind: 'waiting', reason: chosen };
  const { rates, why } = chosen;
  const charged = TOKEN_CLASS_NAMES.filter((name) => !tokens.quantities[name].isZero());
  const unpriced = charged.filter((name) => rates[name] === null);
  if (unpriced.length > 0) {
    const items = unpriced.map((name) => ITEMS[name]).join(', ');
    return { kind: 'waiting', reason: `The rate card has no rate for: ${items}` };
  }
  const lines = charged.map((name) =>
    withReason(
      charge(ITEMS[name], tokens.quantities[name], rates[name] ?? ZERO, 1_000_000),
      why[name] ?? derivedFrom(version, name),
    ),
  );
  return bill(tokens, lines, namedCharges(version, unitCounts, chosen.context), chosen);
}

/**
 * For a class that is not reported separately and has no rate on the card: the class it takes its rate from. All other
 * derived rates are the documented ones.
 */
function derivedFrom({ rates, tiers }: RateCardVersion, name: TokenClass): string | undefined {
  const { tokens, rateLike } = TOKEN_CLASSES[name];
  if (tokens !== null || rateLike === null || rates[name] !== null) return undefined;
  return tiers.some((tier) => tier[name] !== null) ? undefined : `as ${rateLike}: the rate card has no rate of its own`;
}

function withReason(line: Charge, why: string | undefined): Charge {
  return why === undefined ? line : { ...line, why };
}

function namedCharges(version: RateCardVersion, counts: Readonly<Record<string, Quantity>>, context: string): Charge[] {
  return Object.entries(version.unitPrices).flatMap(([name, price]) => {
    const count = Object.hasOwn(counts, name) ? counts[name] : undefined;
    if (!count) return [];
    const { rate, why } = contextUnitPrice(version, name, price, context);
    return [withReason(charge(name, count, rate, 1), why)];
  });
}

const ITEMS = byRate<string>(wireName);

/** For classes that are not reported separately, the class that includes their cost. */
const COUNTED_AS: Readonly<Partial<Record<TokenClass, CountedClass>>> = {
  cacheCreation1h: 'cacheCreation',
  inputAudio: 'input',
  inputImage: 'input',
  inputVideo: 'input',
  outputAudio: 'output',
  outputImage: 'output',
  outputVideo: 'output',
  cacheReadAudio: 'cacheRead',
  cacheReadImage: 'cacheRead',
};

/** The reported class to which each line belongs. */
const CLASS_OF: ReadonlyMap<string, string> = new Map(
  TOKEN_CLASS_NAMES.map((name) => [ITEMS[name], COUNTED_AS[name] ?? name]),
);

/** Skips the addition if the sum is still zero. */
function add(one: Money, other: Money): Money {
  return one === ZERO ? other : one.plus(other);
}

const STANDARD: PriceContext = { context: '', atMs: 0, pricedKeys: new Set() };

const MILLIONTH = quantity('0.000001');

/** The exact rate per token, by the rate per million tokens. Cached, since a rate prices many events. */
const ratesForOne = new WeakMap<Money, Money>();

/** Whole tokens times rates of nine decimals are exact. Longer results are rounded half-up to the ledger's digits. */
export function charge(item: string, quantity: Quantity, rate: Money, per: Charge['per']): Charge {
  return { item, quantity, rate, per, cost: toLedger(quantity.times(per === 1 ? rate : rateForOne(rate))) };
}

function rateForOne(rate: Money): Money {
  const known = ratesForOne.get(rate);
  if (known) return known;
  const forOne = rate.times(MILLIONTH);
  ratesForOne.set(rate, forOne);
  return forOne;
}

function costOfClass(lines: readonly Charge[], counted: CountedClass): Money {
  let cost = ZERO;
  for (const line of lines) if (CLASS_OF.get(line.item) === counted) cost = add(cost, line.cost);
  return cost;
}

/** Copies a price and replaces the amounts of its lines. */
export function withCharges(priced: PricedEvent, charges: readonly Charge[]): PricedEvent {
  return {
    ...priced,
    ...byClass<Money, Money | null>((name) => (priced[name] === null ? null : costOfClass(charges, name))),
    units: priced.units && sum(charges.filter(({ item }) => !CLASS_OF.has(item)).map(({ cost }) => cost)),
    total: sum(charges.map(({ cost }) => cost)),
    charges,
  };
}

function bill(
  { counts }: TokenReading,
  lines: readonly Charge[],
  units: readonly Charge[],
  { aboveInputTokens, context, unknownContext }: Pick<ContextRates, 'aboveInputTokens' | 'context' | 'unknownContext'>,
): PricedEvent {
  let total = ZERO;
  for (const line of lines) total = add(total, line.cost);
  for (const line of units) total = add(total, line.cost);
  return {
    kind: 'priced',
    total,
    ...byClass<Money, Money | null>((name) =>
      isRequired(name) || counts[name] !== null ? costOfClass(lines, name) : null,
    ),
    units: units.length === 0 ? null : sum(units.map((line) => line.cost)),
    tierAboveInputTokens: aboveInputTokens,
    context,
    unknownContext,
    charges: units.length === 0 ? lines : [...lines, ...units],
  };
}
