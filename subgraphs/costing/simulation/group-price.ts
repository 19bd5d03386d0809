/**
 * The cost of many events' tokens under one version of a card. It equals the sum of the events' costs, since rates are
 * linear.
 */
import { type Amount, amount, type Money, plain, quantity } from '#kernel/money.ts';
import { TOKEN_CLASS_NAMES, type TokenClass, wireName } from '#schema/token-classes.ts';
import { type ContextRates, contextRates, contextUnitPrice } from '../pricing/context-rates.ts';
import { contextPairs, joinContext } from '../pricing/pricing-context.ts';
import { REQUESTS } from '#usage/counts/read-units.ts';
import type { RateCardVersion } from '../rates/rate-card-version.ts';
import { pricedKeysOf } from '../rates/stated-rates.ts';

export interface PricingVersion {
  readonly cardId: string;
  readonly modelSlug: string;
  readonly providerSlug: string | null;
  readonly version: RateCardVersion;
}

/** Everything besides tokens that the events' price depends on. */
export interface GroupContext {
  readonly context: string;
  readonly aboveInputTokens: number;
  readonly events: number;
  readonly unknownAtBase: boolean;
  /** True if the card priced the events: the context then contains the hours that the price depended on. */
  readonly isOwn: boolean;
}

/** Returns the reason, a string, if the card has no price for them. */
export type GroupPrice = (
  by: PricingVersion,
  tokens: Readonly<Record<TokenClass, bigint>>,
  context: GroupContext,
) => Amount | string;

interface UnitRates {
  /** 10⁻¹⁵ USD per million tokens; null: the card has no rate. */
  readonly perMillion: Readonly<Record<TokenClass, Amount | null>>;
  readonly perEvent: Amount;
}

const MILLION = 1_000_000n;

/** Caches the rates of a version for later groups. */
export function groupPrices(): GroupPrice {
  const known = new Map<RateCardVersion, Map<string, UnitRates | string>>();
  return (by, tokens, context) => {
    const ofVersion = known.get(by.version) ?? new Map<string, UnitRates | string>();
    known.set(by.version, ofVersion);
    const key = `${context.aboveInputTokens} ${context.isOwn} ${context.context}`;
    const rates = ofVersion.get(key) ?? unitRates(by, context);
    ofVersion.set(key, rates);
    return typeof rates === 'string' ? rates : priceOf(rates, tokens, context.events);
  };
}

function unitRates({ version, providerSlug }: PricingVersion, group: GroupContext): UnitRates | string {
  if (version.perUnit !== null) return 'The rate card has a price per unit, but none for tokens';
  const pairs = contextPairs(group.context).filter((pair) => group.isOwn || !isOfHours(pair));
  const variants = (version.variants ?? []).filter(({ context }) =>
    contextPairs(context).every((pair) => !isOfHours(pair) || pairs.includes(pair)),
  );
  if (!group.isOwn && variants.length !== (version.variants ?? []).length)
    return 'The price depends on the hour of the day';
  const served = contextRates({ ...version, variants }, quantity(group.aboveInputTokens + 1), {
    context: joinContext(pairs),
    // The context already states the hours, so the time is not needed.
    atMs: 0,
    pricedKeys: pricedKeysOf(providerSlug),
    unknownAtBase: group.unknownAtBase,
  });
  if (typeof served === 'string') return served;
  const fee = version.unitPrices[REQUESTS];
  return {
    perMillion: units(served),
    perEvent: fee === undefined ? 0n : toAmount(contextUnitPrice(version, REQUESTS, fee, served.context).rate),
  };
}

function isOfHours(pair: string): boolean {
  return pair.startsWith('hours=');
}

function units({ rates }: ContextRates): UnitRates['perMillion'] {
  return Object.fromEntries(
    TOKEN_CLASS_NAMES.map((name) => {
      const rate = rates[name];
      return [name, rate === null ? null : toAmount(rate)];
    }),
  ) as UnitRates['perMillion'];
}

function toAmount(rate: Money): Amount {
  return amount(plain(rate.toDecimalPlaces(15)));
}

/** Whole tokens times rates of nine decimals are exact. Longer results are rounded half-up, once per class. */
function priceOf(
  { perMillion, perEvent }: UnitRates,
  tokens: Readonly<Record<TokenClass, bigint>>,
  events: number,
): Amount | string {
  let total = perEvent * BigInt(events);
  for (const name of TOKEN_CLASS_NAMES) {
    if (tokens[name] === 0n) continue;
    const rate = perMillion[name];
    if (rate === null) return `The rate card has no rate for: ${wireName(name)}`;
    total += (tokens[name] * rate + MILLION / 2n) / MILLION;
  }
  return total;
}
