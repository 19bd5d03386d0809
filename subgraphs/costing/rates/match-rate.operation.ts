/** Says which rate card would price a model, and by which rule. */
import { fail } from '../../../schema/errors.ts';
import { parseIso8601 } from '../../../kernel/time/instant.ts';
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { EVERYBODY } from '../config.ts';
import { resolveRateCards } from './resolve-rate-card.step.ts';
import { type ShownRates, showRates } from './show-rates.ts';

export interface RateQuestion {
  readonly model: string;
  readonly provider?: string | null | undefined;
  /** Default: now. */
  readonly at?: string | null | undefined;
}

export interface RateMatch extends ShownRates {
  readonly modelSlug: string;
  readonly providerSlug: string | null;
  readonly rule: string;
  readonly rateCardId: string;
  readonly effectiveFrom: Date | null;
}

/** Without an organization: what everybody's cards say. Null when none would price it. */
export function matchRate({ database, principal }: SubgraphContext, { model, provider, at }: RateQuestion): Promise<RateMatch | null> {
  const parsed = at ? parseIso8601(at) ?? fail('VALIDATION_ERROR', 'at must be an ISO 8601 date or date-time') : null;
  const instant = parsed?.epochMs ?? now().getTime();
  const organizationId = principal.organizationId ?? EVERYBODY;
  return database.forOrganization(organizationId, async (em) => {
    const [rate] = await resolveRateCards(em, organizationId, [{ model, provider: provider ?? null, eventTimeMs: instant }]);
    if (!rate?.match) return null;
    const { card, version, rule } = rate.match;
    return {
      modelSlug: card.modelSlug, providerSlug: card.providerSlug, rule, rateCardId: card.id,
      effectiveFrom: version.fromMs === null ? null : new Date(version.fromMs), ...showRates(version.version),
    };
  });
}
