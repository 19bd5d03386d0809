/** Previews how a statement about cached tokens would change the events that it decides: applies it and rolls it back. */
import type { OrganizationId } from '#kernel/ids.ts';
import { type Money, plain, sum } from '#kernel/money.ts';
import { earlier, DAY_SECONDS } from '#kernel/time/duration.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { listEventIdsRead } from '../ledger/costing-health.query.ts';
import { type PriceableUsage, priceUsage } from '../pricing/price-usage.ts';
import { pricingCardOf } from '../pricing/pricing-card-of.ts';
import { GUESSED, STATED } from '#usage/counts/read-tokens.ts';
import { cachedTokensRuleOf } from '#usage/counts/cached-tokens-rule.ts';
import { listCachedTokensRules, saveCachedTokensRule } from '../rates/matching/cached-tokens-rule.table.ts';
import { parseCachedTokens } from '../rates/matching/parse-cached-tokens.ts';
import { previewRateChange } from '../rates/preview-rate-change.step.ts';
import { resolveRateCards } from '../rates/resolve-rate-card.step.ts';
import type { CachedTokensSetInput, CachedTokensProposal } from '../resolvers.generated.ts';
import { readStandingCostsOf } from './standing-costs.query.ts';

/** Maximum number of events tried, because a person waits for the response. */
const EVENTS_MAX = 5_000;
const DAYS_MAX = 366;

/** Stores nothing. Fails with `VALIDATION_ERROR`. */
export async function proposeCachedTokens(
  context: SubgraphContext,
  input: CachedTokensSetInput,
  days: number,
): Promise<CachedTokensProposal> {
  const { cachedTokens, ...of } = parseCachedTokens(input);
  if (cachedTokens === null) return fail('VALIDATION_ERROR', 'cachedTokens must be INCLUDED or EXCLUDED');
  if (days < 1 || days > DAYS_MAX) fail('VALIDATION_ERROR', `days must be 1 to ${DAYS_MAX}`);
  return previewRateChange(context, async (tx, organizationId, at) => {
    const earlierRules = await listCachedTokensRules(tx, organizationId);
    const rule = { ...of, cachedTokens };
    await saveCachedTokensRule(tx, organizationId, rule, at);
    const rules = await listCachedTokensRules(tx, organizationId);
    const latest = { since: earlier(at, days * DAY_SECONDS), max: EVENTS_MAX + 1 };
    const ids = [
      ...(await listEventIdsRead(tx, organizationId, 'guessed', latest)),
      // An earlier statement may have decided events that this one decides differently.
      ...(earlierRules.length === 0 ? [] : await listEventIdsRead(tx, organizationId, 'stated', latest)),
    ];
    const changed = await priceEventsUnder(tx, organizationId, ids.slice(0, EVENTS_MAX), (event) => {
      const decisive = cachedTokensRuleOf(rules, event);
      return decisive?.countsOf === rule.countsOf && decisive.subject === rule.subject;
    });
    return {
      events: changed.length,
      costBefore: plain(sum(changed.map(({ before }) => before))),
      costAfter: plain(sum(changed.map(({ after }) => after))),
      isComplete: ids.length <= EVENTS_MAX,
    };
  });
}

/** Costs that a repricing would change, or whose guess it would resolve, before and after. */
async function priceEventsUnder(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
  isDecided: (event: PriceableUsage) => boolean,
): Promise<{ before: Money; after: Money }[]> {
  const standing = (await readStandingCostsOf(tx, organizationId, ids)).filter(
    ({ event }) => event.costOverride === null && isDecided(event),
  );
  const rates = await resolveRateCards(
    tx,
    organizationId,
    standing.map(({ event }) => event),
  );
  return standing.flatMap(({ event, parts, reading }, index) => {
    const price = priceUsage(event, pricingCardOf(rates[index]!));
    if (price.kind !== 'priced' || price.tokens.name === GUESSED) return [];
    const before = parts.total;
    const after = price.priced.total;
    return reading === STATED && before.eq(after) ? [] : [{ before, after }];
  });
}
