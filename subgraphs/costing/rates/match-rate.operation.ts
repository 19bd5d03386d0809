/** Finds the rate card that would price a model, and the rule that matched it. */
import { fail } from '#schema/errors.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { type Money, plain } from '#kernel/money.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { resolveRateCards } from './resolve-rate-card.step.ts';
import { effectiveRates } from './effective-rates.ts';
import { TOKEN_CLASS_NAMES, type TokenClass } from '#schema/token-classes.ts';
import { type RateCardVersion, unitInWords } from './rate-card-version.ts';

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

interface RatesView extends RatesPerMillion {
  /** USD by unit name. Only `unit` for a card priced per unit. */
  readonly unitPrices: Readonly<Record<string, string>>;
  /** In ascending order. Rates are decimal texts; null if the rate of the level below applies. */
  readonly tiers: readonly Readonly<Record<string, number | string | null>>[];
  readonly unitName: string | null;
  /** `per million tokens`, `per audio hour`. */
  readonly unit: string;
  readonly contexts: readonly Readonly<Record<string, number | string | null>>[];
}

/** Formats a version's rates for display as decimal texts, with derived rates filled in. */
function toRatesView(version: RateCardVersion): RatesView {
  const rates = effectiveRates(version.rates);
  return {
    ...(Object.fromEntries(TOKEN_CLASS_NAMES.map((name) => [`${name}CostPerMillion`, rates[name]])) as RatesPerMillion),
    unitPrices: {
      ...Object.fromEntries(Object.entries(version.unitPrices).map(([name, price]) => [name, plain(price)])),
      ...(version.perUnit === null ? {} : { unit: plain(version.perUnit) }),
    },
    unit: unitInWords(version),
    unitName: version.perUnit === null ? null : version.perUnitName,
    contexts: (version.variants ?? []).map(({ rate, factor, ...variant }) => ({
      ...variant,
      rate: rate === null ? null : plain(rate),
      factor: factor === null ? null : plain(factor),
    })),
    tiers: version.tiers
      .toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens)
      .map((tier) => ({
        aboveInputTokens: tier.aboveInputTokens,
        // For non-text classes, only rates set by the tier itself.
        ...Object.fromEntries(
          TOKEN_CLASS_NAMES.flatMap((name): [string, string | null][] => {
            const rate = tier[name];
            if (rate === null) return /Audio|Image|Video/.test(name) ? [] : [[name, null]];
            return [[name, plain(rate)]];
          }),
        ),
      })),
  };
}
