/** Finds the rate card that would price a model, and the rule that matched it. */
import { fail } from '#kernel/errors.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Money } from '#kernel/money.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { resolveRateCards } from './resolve-rate-card.step.ts';
import { effectiveRates } from './effective-rates.ts';
import { TOKEN_CLASS_NAMES, type TokenClass } from '#schema/token-classes.ts';
import type { RateCardPrice, RateCardVersion as RateCardVersionView } from '../resolvers.generated.ts';
import { type RateCardVersion, unitInWords } from './rate-card-version.ts';
import { sizesAndContexts, unitPricesOf } from './rate-card-view.ts';

export interface RateQuery {
  readonly model: string;
  readonly provider?: string | null | undefined;
  /** Default: now. */
  readonly at?: string | null | undefined;
}

export interface RateMatch extends RatesView {
  readonly modelSlug: string;
  readonly providerSlug: string | null;
  readonly rule: string;
  readonly rateCardId: string;
  readonly effectiveFrom: Date | null;
}

/** Without an organization, only standard cards are considered. Returns null if no card would price the model. */
export function matchRate(
  { database, principal }: SubgraphContext,
  { model, provider, at }: RateQuery,
): Promise<RateMatch | null> {
  const parsed = at ? (parseIso8601(at) ?? fail('VALIDATION_ERROR', 'at must be an ISO 8601 date or date-time')) : null;
  const instant = parsed?.epochMs ?? now().getTime();
  const organizationId = principal.organizationId ?? GLOBAL_TENANT;
  return database.write(organizationId, async (tx) => {
    const [rate] = await resolveRateCards(tx, organizationId, [
      { model, provider: provider ?? null, eventTimeMs: instant },
    ]);
    if (!rate?.match) return null;
    const { card, version, rule } = rate.match;
    return {
      modelSlug: card.modelSlug,
      providerSlug: card.providerSlug,
      rule,
      rateCardId: card.id,
      effectiveFrom: version.fromMs === null ? null : new Date(version.fromMs),
      ...toRatesView(version.version),
    };
  });
}

type RatesPerMillion = { readonly [C in TokenClass as `${C}CostPerMillion`]: Money | null };

interface RatesView extends RatesPerMillion, Pick<RateCardVersionView, 'tiers' | 'contexts'> {
  readonly unitPrices: RateCardPrice[];
  readonly unitName: string | null;
  /** `per million tokens`, `per audio hour`. */
  readonly unit: string;
}

/** Formats a version's rates for display as decimal texts, with derived rates filled in. */
function toRatesView(version: RateCardVersion): RatesView {
  const rates = effectiveRates(version.rates);
  return {
    ...(Object.fromEntries(TOKEN_CLASS_NAMES.map((name) => [`${name}CostPerMillion`, rates[name]])) as RatesPerMillion),
    unitPrices: unitPricesOf(version),
    unit: unitInWords(version),
    unitName: version.perUnit === null ? null : version.perUnitName,
    ...sizesAndContexts(version),
  };
}
