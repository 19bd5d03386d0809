/** Prices a call that was not made or not yet sent. It uses the same code as for an event, and stores nothing. */
import { isObject } from '#kernel/json/json-object.ts';
import { plain, type Money } from '#kernel/money.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { parseUsageEvent } from '../events/parse-usage-event.ts';
import type { CostLine } from '../resolvers.generated.ts';
import { resolveRateCards } from '../rates/resolve-rate-card.step.ts';
import { otherModelsOf } from '#usage/counts/iterations.ts';
import { pricingCardOf } from './pricing-card-of.ts';
import { contextPairs } from './pricing-context.ts';
import { describeReading, priceUsage } from './price-usage.ts';
import { USAGE_CONTAINERS } from '#usage/counts/provider-usage.ts';
import { rawCounts } from '#usage/counts/raw-counts.ts';
import { impossibleCounts } from '#usage/counts/read-counts.ts';
import { unreadTokenCounts } from '#usage/counts/unread-counts.ts';
import { langfuseUsage } from '#usage/telemetry/langfuse-usage.ts';
import { namedCounts } from '#usage/telemetry/named-counts.ts';

export interface UsagePriceQuery {
  readonly model: string;
  readonly provider?: string | null | undefined;
  /**
   * A provider's own usage object, the fields of an event, or an object that contains a usage object, such as a
   * provider's response.
   */
  readonly usage: unknown;
  /** `tier=batch`, `geo=us,speed=fast`; takes precedence over the context in the usage. */
  readonly context?: string | null | undefined;
  /** Default: now. */
  readonly at?: string | null | undefined;
}

export interface UsagePriceView {
  /** The status an event would get: `completed` or `pending_rate_card`. */
  readonly status: string;
  readonly totalCost: Money | null;
  readonly reason: string | null;
  readonly modelSlug: string | null;
  readonly providerSlug: string | null;
  readonly matchRule: string | null;
  readonly reading: string | null;
  readonly tokenReading: string | null;
  readonly pricingContext: string | null;
  /** Pairs of the context without a price, ignored by the organization's choice. */
  readonly unknownContext: string | null;
  readonly lines: CostLine[];
}

/** Fails with `VALIDATION_ERROR` for values that an event could not have either. */
export async function getUsagePrice(
  { database, principal }: SubgraphContext,
  query: UsagePriceQuery,
): Promise<UsagePriceView> {
  const organizationId = principal.organizationId ?? GLOBAL_TENANT;
  const event = readUsage(query);
  return database.write(organizationId, async (tx) => {
    const [rate] = await resolveRateCards(tx, organizationId, [event]);
    const match = rate?.match ?? null;
    const price = priceUsage(event, pricingCardOf(rate ?? { match: null }));
    const card = {
      modelSlug: match?.card.modelSlug ?? null,
      providerSlug: match?.card.providerSlug ?? null,
      matchRule: match?.rule ?? null,
    };
    if (price.kind === 'waiting') {
      if (!event.isCounted && event.unknownNames.length > 0)
        fail(
          'VALIDATION_ERROR',
          `usage contains no counts that can be priced; unknown names: ${event.unknownNames.join(', ')}`,
        );
      const unread = { reading: null, tokenReading: null, pricingContext: null, unknownContext: null };
      const unknown = { ...unread, totalCost: null, lines: [] };
      return { status: 'pending_rate_card', reason: price.reason, ...card, ...unknown };
    }
    const { priced, tokens } = price;
    if (priced.charges.length === 0 && event.costOverride === null && !event.isCounted)
      fail('VALIDATION_ERROR', 'usage contains no counts that can be priced');
    return {
      status: 'completed',
      totalCost: priced.total,
      reason: null,
      ...card,
      reading: tokens.name,
      tokenReading: describeReading(tokens),
      pricingContext: priced.context,
      unknownContext: priced.unknownContext || null,
      lines: priced.charges.map(({ item, quantity, rate: perUnit, per, cost, why, model }) => ({
        model: model ?? null,
        class: item,
        quantity: plain(quantity),
        rate: plain(perUnit),
        per: per === 1 ? 'unit' : 'million_tokens',
        cost: plain(cost),
        why: why ?? null,
      })),
    };
  });
}

const FIELDS: ReadonlyMap<string, string> = new Map([
  ['tier', 'service_tier'],
  ['speed', 'speed'],
  ['geo', 'inference_geo'],
]);

function readUsage({ model, provider, usage, context, at }: UsagePriceQuery) {
  if (!isObject(usage)) {
    return fail('VALIDATION_ERROR', "usage must be an object: a provider's usage object, or the counts of an event");
  }
  const instant = at
    ? (parseIso8601(at) ?? fail('VALIDATION_ERROR', 'at must be an ISO 8601 date or date-time'))
    : null;
  const served = contextPairs(context?.trim() ?? '').map((pair): [string, string] => {
    const [key = '', value = ''] = pair.split('=').map((part) => part.trim());
    const known = [...FIELDS.keys()].join(', ');
    return [FIELDS.get(key) ?? fail('VALIDATION_ERROR', `Unknown context key ${key}. Use one of: ${known}`), value];
  });
  const fields = usage;
  // A provider's own object that is sent with an event's counts shows which provider counted the tokens.
  const container = USAGE_CONTAINERS.map((name) => fields[name]).find(isObject);
  const langfuse = langfuseUsage(container ?? fields);
  const own = langfuse === null ? (container ?? fields) : namedCounts(langfuse.counts, 'inclusive');
  const impossible = impossibleCounts(own);
  if (impossible !== null) return fail('VALIDATION_ERROR', impossible);
  const counts = rawCounts(own);
  const parsed = parseUsageEvent({
    input_tokens: counts.input ?? 0,
    output_tokens: counts.output ?? 0,
    ...(container === undefined ? own : fields),
    usage: own,
    ...Object.fromEntries(served),
    idempotency_key: 'price',
    model,
    provider,
    event_invoked_at: new Date(instant?.epochMs ?? now().getTime()).toISOString(),
  });
  if (!parsed.ok) return fail('VALIDATION_ERROR', parsed.message);
  const { event } = parsed;
  const isCounted = [counts.input, counts.output, fields['input_tokens'], fields['output_tokens']].some(
    (count) => count !== null && count !== undefined,
  );
  const providerUsage =
    event.providerUsageJson === null ? null : (JSON.parse(event.providerUsageJson) as Record<string, unknown>);
  const otherModels = otherModelsOf({ ...event, providerUsage });
  const unknownNames = langfuse?.unread ?? unreadTokenCounts(own);
  return { ...event, isCounted, unknownNames, providerUsage, ...(otherModels === undefined ? {} : { otherModels }) };
}
