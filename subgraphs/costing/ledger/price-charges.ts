/** The charges of a price: at the rates that apply, and at list prices if the organization has rates of its own. */
import { plain, toLedger } from '#kernel/money.ts';
import type { ChargeLine } from '#schema/priced-feed.ts';
import { TOKEN_CLASS_NAMES, wireName } from '#schema/token-classes.ts';
import { NO_DISCOUNTS } from '../rates/discounts/discount.ts';
import type { PriceableEvent } from '../pricing/priceable-event.query.ts';
import type { PricedEvent } from '../pricing/price-event.ts';
import { priceUsage } from '../pricing/price-usage.ts';
import { pricingCardOf } from '../pricing/pricing-card-of.ts';
import type { TokenReading } from '#usage/counts/read-tokens.ts';
import type { MatchedVersion, ResolvedRate } from '../rates/resolved-rate.ts';
import { chargeLine, chargesOfLines, OVERRIDE, withAgreements, withListAmounts } from './charge-lines.ts';
import type { CostEntryLine } from './cost-entry-explanation.ts';

export interface PriceCharges {
  readonly charges: readonly ChargeLine[];
  /** True if the explanation's lines contain the same charges. */
  readonly isExplained: boolean;
}

/** `lines` are the explanation's. */
export function priceCharges(
  event: PriceableEvent,
  rate: ResolvedRate,
  priced: PricedEvent,
  tokens: TokenReading,
  lines: readonly CostEntryLine[],
): PriceCharges {
  if (event.costOverride !== null) return { charges: overrideCharges(priced, tokens), isExplained: false };
  const own = chargesOfLines(lines, priced.context);
  const unit = unitNameOf(rate);
  const charges = unit === null ? own : own.map((line) => withUnit(line, unit));
  const list = listPrice(event, rate);
  if (list === null) return { charges, isExplained: unit === null };
  const listed = chargesOfLines(explanationLines(list), list.context);
  const named = withAgreements(charges, priced.charges);
  return { charges: withListAmounts(named, listed, priced.context), isExplained: false };
}

/** Explanation lines of a price. */
export function explanationLines({ charges }: PricedEvent): CostEntryLine[] {
  return charges.map(({ item, quantity, rate, per, cost, why, model }): CostEntryLine => {
    const line = [item, plain(toLedger(quantity)), plain(rate), per, plain(cost)] as const;
    return why === undefined ? line : model === undefined ? [...line, why] : [...line, why, model];
  });
}

/** The caller states one cost for all classes. */
function overrideCharges(priced: PricedEvent, { quantities }: TokenReading): ChargeLine[] {
  const counted = TOKEN_CLASS_NAMES.filter((name) => !quantities[name].isZero());
  return [
    ...counted.map((name) => chargeLine(wireName(name), plain(quantities[name]), '0')),
    ...(priced.total.isZero() ? [] : [chargeLine(OVERRIDE, '0', plain(priced.total), { unit: OVERRIDE })]),
  ];
}

function unitNameOf({ match }: ResolvedRate): string | null {
  return match?.version.version.perUnit ? match.version.version.perUnitName : null;
}

/** A card priced per unit names the unit (`page`); its lines only say `units`. */
function withUnit(line: ChargeLine, unit: string): ChargeLine {
  const [item, quantity, cost, list, , context = null, model = null] = line;
  return item === 'units' ? chargeLine(item, quantity, cost, { unit, context, model }, list ?? cost) : line;
}

/** Null if the event already has the list price, or if there is no list price. */
function listPrice(event: PriceableEvent, { match: _, list, others, ...rate }: ResolvedRate): PricedEvent | null {
  if (!list) return null;
  const listed = others && new Map([...others].map(([model, other]) => [model, other && withoutDiscounts(other)]));
  const card = pricingCardOf({ ...rate, match: list, ...(listed && { others: listed }) });
  const price = priceUsage(event, card);
  return price.kind === 'priced' ? price.priced : null;
}

function withoutDiscounts(match: MatchedVersion): MatchedVersion {
  return { ...match, discounts: NO_DISCOUNTS };
}
