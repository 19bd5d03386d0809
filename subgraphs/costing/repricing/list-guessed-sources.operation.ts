/**
 * Lists senders whose counts do not say whether they include cached tokens, so that a person can state it once
 * (decision 79).
 */
import { quantity } from '#kernel/money.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { enumValue } from '#kernel/enum-value.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { isIncomplete } from '#usage/counts/incomplete.ts';
import { iterationsBesides } from '#usage/counts/iterations.ts';
import { countOrNull } from '#usage/counts/value-at.ts';
import { listEventIdsRead } from '../ledger/costing-health.query.ts';
import { GUESSED, readTokens } from '#usage/counts/read-tokens.ts';
import type { PriceableUsage } from '../pricing/price-usage.ts';
import {
  type CachedTokensRule,
  cachedTokensRuleOf,
  cachedTokensStatement,
  type CountsOf,
  subjectsOf,
} from '#usage/counts/cached-tokens-rule.ts';
import { listCachedTokensRules } from '../rates/matching/cached-tokens-rule.table.ts';
import type { GuessedSource, GuessedSources } from '../resolvers.generated.ts';
import { readStandingCostsOf, type StandingCost } from './standing-costs.query.ts';

/** Only the latest events are examined, since a person waits for the response. */
const EVENTS_MAX = 5_000;
const DAYS_MAX = 366;
const SOURCES_MAX = 50;

/** Covers the last `days` days (1 to 366). Fails with `VALIDATION_ERROR`. */
export async function listGuessedSources(context: SubgraphContext, days: number): Promise<GuessedSources> {
  if (days < 1 || days > DAYS_MAX) fail('VALIDATION_ERROR', `days must be 1 to ${DAYS_MAX}`);
  const organizationId = organizationOf(context);
  const since = new Date(now().getTime() - days * DAY_MS);
  const latest = { since, max: EVENTS_MAX + 1 };
  const { ids, standing, decided, rules } = await context.database.write(organizationId, async (tx) => {
    const ids = await listEventIdsRead(tx, organizationId, 'guessed', latest);
    const decided = await listEventIdsRead(tx, organizationId, 'stated', latest);
    return {
      ids,
      standing: await readStandingCostsOf(tx, organizationId, ids.slice(0, EVENTS_MAX)),
      decided: await readStandingCostsOf(tx, organizationId, decided.slice(0, EVENTS_MAX)),
      rules: await listCachedTokensRules(tx, organizationId),
    };
  });
  const sources = new Map<string, FoundSource>();
  let statedEvents = decided.filter((each) => isDecidedOtherwise(each, rules)).length;
  for (const { event } of standing) {
    if (!isOpen(event)) continue;
    const isStated = cachedTokensRuleOf(rules, event) !== null;
    if (isStated) statedEvents++;
    for (const [countsOf, subject] of subjectsOf(event)) {
      if (subject === null) continue;
      const key = `${countsOf} ${subject}`;
      const source = sources.get(key) ?? emptySource(countsOf, subject);
      source.events++;
      if (!isStated) source.openEvents++;
      source.lastAt = new Date(Math.max(source.lastAt.getTime(), event.eventTimeMs));
      sources.set(key, source);
    }
  }
  const ordered = [...sources.values()].sort((one, other) => other.openEvents - one.openEvents);
  return { sources: ordered.slice(0, SOURCES_MAX), statedEvents, isComplete: ids.length <= EVENTS_MAX };
}

interface FoundSource extends Omit<GuessedSource, 'lastAt'> {
  lastAt: Date;
}

function emptySource(countsOf: CountsOf, subject: string): FoundSource {
  return { countsOf: enumValue(countsOf), subject, events: 0, openEvents: 0, lastAt: new Date(0) };
}

/** True if a statement about cached tokens would resolve the guess. */
function isOpen(event: PriceableUsage): boolean {
  if (event.costOverride !== null || isIncomplete(event.metadata)) return false;
  const cachedTokens = { cachedTokens: 'included', why: '', isOfRequest: false } as const;
  return readTokens(event).name === GUESSED && readTokens({ ...event, cachedTokens }).name !== GUESSED;
}

/** True if the statements in force divide the input differently from what was charged. */
function isDecidedOtherwise({ event, charges }: StandingCost, rules: readonly CachedTokensRule[]): boolean {
  if (event.costOverride !== null || charges.some(([item]) => item === 'units')) return false;
  const cachedTokens = cachedTokensStatement(rules, event);
  const { quantities } = readTokens(cachedTokens === null ? event : { ...event, cachedTokens });
  // Separate calls of the event's own model, such as a compaction, are charged without a model of their own.
  const separate = iterationsBesides(event).filter(({ model }) => model === null);
  const expected = separate.reduce(
    (total, { fields }) => total.plus(countOrNull(fields['input_tokens']) ?? 0),
    quantities.input,
  );
  const charged = charges.filter(([item, , , , , , model]) => item === 'input' && !model);
  return !charged.reduce((total, [, count]) => total.plus(quantity(count)), quantity(0)).eq(expected);
}
