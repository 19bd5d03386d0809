/** Insights about models: a missing price, or a smaller sibling that would be cheaper. */
import { usdText } from '#kernel/usd-text.ts';
import { dayInWords } from '#kernel/time/in-words.ts';
import { amount, money, plain } from '#kernel/money.ts';
import { smallerSiblings } from '#kernel/smaller-siblings.ts';
import { graphql, type VariablesOf } from '#schema/graphql.ts';
import { exact } from '../detection/verdict.ts';
import { isRefusal, type ReadGraph } from '../figures/graph-reader.step.ts';
import { count } from '../figures/words.ts';
import { PAGES } from '../figures/page-path.ts';
import { type Insight, type InsightWindow, nameDays, queryOf } from './insight.ts';

const UNPRICED = graphql(`query InsightUnpriced($start: Instant!, $end: Instant!, $days: Int!) {
  costingHealth(days: $days) { unpriced { cause provider model reason events firstAt lastAt } }
  window(start: $start, end: $end) { costs(first: 1) { totalCost eventCount } }
}`);
const MODELS = graphql(`query InsightModels($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { costs(groupBy: [MODEL], first: 5) { totalCost nodes { totalCost values { value } } } }
}`);
const CARDS = graphql(`query InsightCards($model: String!, $byModel: String!) {
  larger: rateMatch(model: $model) { modelSlug }
  smaller: rateMatch(model: $byModel) { modelSlug }
}`);
const CHEAPER =
  graphql(`query InsightCheaper($start: Instant!, $end: Instant!, $model: String!, $byModel: String!, $eventsMax: Int!) {
  window(start: $start, end: $end) {
    simulateCosts(changes: [{ replace: { model: $model, byModel: $byModel } }], first: 1, eventsMax: $eventsMax) {
      total { before after { low expected high } difference { low expected high } isRange }
    }
  }
}`);

const HEALTH_DAYS_MAX = 366;
/**
 * Limit for a simulation, because a page waits for it. Days are summed some minutes after their end; a newly imported
 * history takes longer.
 */
const SINGLE_EVENTS_MAX = 10_000;

/**
 * Unpriced events of the window. Money at stake is their number times the average cost of an event: an estimate that
 * appears in no sentence.
 */
export async function findUnpricedModels(read: ReadGraph, window: InsightWindow, daysAgo: number): Promise<Insight[]> {
  const { start, end } = window;
  const variables = { start, end, days: Math.min(HEALTH_DAYS_MAX, Math.max(1, daysAgo)) };
  const { costingHealth, window: figures } = await read(UNPRICED, variables);
  const { totalCost, eventCount } = figures.costs;
  return costingHealth.unpriced
    .filter(({ firstAt, lastAt }) => firstAt < end && lastAt >= start)
    .map(({ provider, model, reason, events, firstAt }) => ({
      kind: 'UNPRICED_MODEL' as const,
      sentence: `${count(events)} ${events === 1 ? 'event' : 'events'} of ${model}${provider === null ? '' : ` (${provider})`} ${events === 1 ? 'has' : 'have'} had no price since ${dayInWords(new Date(firstAt))}: ${reason}. Set a rate, or map the name to a known model.`,
      atStake: eventCount === 0 ? '0' : plain(money(totalCost).div(eventCount).times(events).toDecimalPlaces(6)),
      figures: [exact('events', String(events), 'count')],
      query: queryOf(UNPRICED, variables),
      path: PAGES.waitingModels,
    }));
}

/**
 * The costliest model for which a smaller sibling would have processed the same texts with a saving of more than a
 * twentieth of all costs.
 */
export async function findCheaperModel(read: ReadGraph, window: InsightWindow): Promise<Insight[]> {
  const { start, end } = window;
  const { nodes, totalCost } = (await read(MODELS, { start, end })).window.costs;
  for (const model of nodes.flatMap(({ values }) => values[0]?.value ?? []))
    for (const byModel of smallerSiblings(model)) {
      const { larger, smaller } = await read(CARDS, { model, byModel });
      // A name without a card, or with the card of the larger model, would save nothing.
      if (smaller === null || smaller.modelSlug === larger?.modelSlug) continue;
      const variables = { start, end, model, byModel, eventsMax: SINGLE_EVENTS_MAX };
      const simulated = await simulate(read, variables);
      if (simulated === null) continue;
      const { before, after, difference, isRange } = simulated;
      const saving = -amount(difference.expected);
      if (20n * saving <= amount(totalCost)) continue;
      const range = isRange
        ? ` The two models count tokens differently: the cost would have been between ${usdText(after.low)} and ${usdText(after.high)}.`
        : '';
      return [
        {
          kind: 'CHEAPER_MODEL' as const,
          sentence: `${nameDays(window).now}, switching from ${model} to ${byModel} would have saved ${usdText(plain(saving))} of ${usdText(before)} at today's prices.${range} Answer quality is not considered.`,
          atStake: plain(saving),
          figures: [
            exact('cost', before, 'usd'),
            exact('simulated_cost', after.expected, 'usd'),
            exact('difference', difference.expected, 'usd'),
          ],
          query: queryOf(CHEAPER, variables),
          path: `/what-if?${new URLSearchParams({ from: start.slice(0, 10), to: lastDayOf(end), model, by: byModel }).toString()}`,
        },
      ];
    }
  return [];
}

/** Null if the sibling is priced per unit, or if there are more events than one simulation accepts. */
async function simulate(read: ReadGraph, variables: VariablesOf<'InsightCheaper'>) {
  try {
    return (await read(CHEAPER, variables)).window.simulateCosts.total;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

function lastDayOf(end: string): string {
  return new Date(Date.parse(end) - 1).toISOString().slice(0, 10);
}
