/** Queries the graph for data that REST does not serve, and compares it with the books. */
import { expect } from 'vitest';
import { graphql } from '../api-client.ts';
import { isoOf } from './book-instant.ts';
import { amount, printAmount, sumOf } from './exact-amount.ts';
import type { Books } from './keep-books.ts';
import {
  byKey,
  endUserUuid,
  figuresOf,
  type Priced,
  priced,
  quantityOf,
  type Window,
  totalOf,
  valueOf,
  within,
} from './plain-books.ts';
import { series } from './plain-trend.ts';
import type { Random } from './seeded-random.ts';

const FIGURES = `totalCost inputTokens outputTokens cacheCreationInputTokens cacheReadInputTokens reasoningTokens
  inputCost outputCost cacheCreationCost cacheReadCost reasoningCost eventCount percentOfTotal`;

export async function askGraph(books: Books, document: string, variables: object = {}): Promise<any> {
  const { body } = await graphql(books.service.url, books.service.firstRun.live_read_key, document, variables);
  expect(body.errors, document).toBeUndefined();
  return body.data;
}

export async function checkGraph(books: Books, window: Window, keys: readonly string[], random: Random): Promise<void> {
  const all = within(books.live(), window);
  const events = priced(all);
  const ask = async (fields: string, variables: object = {}, declared = '') =>
    (
      await askGraph(
        books,
        `query ($start: Instant!, $end: Instant!${declared}) { window(start: $start, end: $end) { ${fields} } }`,
        { start: isoOf(window.start), end: isoOf(window.end), ...variables },
      )
    ).window;

  for (const key of keys) {
    const filterKey = random.pick(keys.filter((other) => other !== key));
    const filterValue = events.length === 0 ? 'none' : valueOf(random.pick(events), filterKey);
    const limit = random.pick([1, 3, 1000]);
    const groupsOf = `{ items { attributionValue ${FIGURES} } totalCost totalGroups truncated }`;
    const { costsByAttribution: whole } = await ask(
      `costsByAttribution(key: $key, first: $limit) ${groupsOf}`,
      { key, limit },
      ', $key: String!, $limit: Int!',
    );
    expect(whole, key).toEqual(attribution(events, key, limit));
    const { costsByAttribution: part } = await ask(
      `costsByAttribution(key: $key, filterKey: $filterKey, filterValue: $filterValue) ${groupsOf}`,
      { key, filterKey, filterValue },
      ', $key: String!, $filterKey: String!, $filterValue: String!',
    );
    expect(part, `${key} where ${filterKey} is ${filterValue}`).toEqual(
      attribution(
        events.filter((event) => valueOf(event, filterKey) === filterValue),
        key,
        1000,
      ),
    );
  }

  const times = all.map(({ at }) => at).sort((one, other) => (one < other ? -1 : 1));
  const { usageAggregation } = await ask(
    'usageAggregation { aggregations { metricName totalQuantity eventCount firstEventAt lastEventAt } periodStart periodEnd totalEvents }',
  );
  expect(usageAggregation).toEqual({
    periodStart: isoOf(window.start),
    periodEnd: isoOf(window.end),
    totalEvents: all.length,
    aggregations:
      all.length === 0
        ? []
        : [
            {
              metricName: 'tokens',
              totalQuantity: all.reduce((sum, event) => sum + quantityOf(event), 0),
              eventCount: all.length,
              firstEventAt: isoOf(times[0]!),
              lastEventAt: isoOf(times.at(-1)!),
            },
          ],
  });
  const { ledgerCost, costsByModel } = await ask('ledgerCost costsByModel { totalCost }');
  expect([ledgerCost, costsByModel.totalCost]).toEqual([printAmount(totalOf(events)), printAmount(totalOf(events))]);
  await checkEndUser(books, window, events, random);
}

function attribution(events: readonly Priced[], key: string, limit: number): unknown {
  const all = byKey(events, key);
  const items = all.slice(0, limit).map(({ name, figures }) => ({ attributionValue: name, ...camelCase(figures) }));
  return { items, totalCost: printAmount(totalOf(events)), totalGroups: all.length, truncated: all.length > limit };
}

async function checkEndUser(books: Books, window: Window, events: readonly Priced[], random: Random): Promise<void> {
  const named = books.live().filter(({ user }) => user !== null);
  if (named.length === 0) return;
  const externalId = random.pick(named).user!;
  const own = events.filter(({ user }) => user === externalId);
  const firstSeen = named
    .filter(({ user }) => user === externalId)
    .map(({ at }) => at)
    .reduce((least, at) => (at < least ? at : least));
  const { endUser } = await askGraph(
    books,
    `query ($externalId: String!, $start: Instant!, $end: Instant!) {
    endUser(externalId: $externalId) {
      endUserId externalId
      costSummary(start: $start, end: $end) { totalCost eventCount inputTokens outputTokens firstSeenAt }
      trend(start: $start, end: $end) { series { key label dataPoints { date cost eventCount } } }
    }
  }`,
    { externalId, start: isoOf(window.start), end: isoOf(window.end) },
  );
  const {
    total_cost: totalCost,
    event_count: eventCount,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
  } = figuresOf(own, 0n);
  const id = endUserUuid(books.service.firstRun.organization_id, externalId);
  const { key, label, data_points: points } = series(own, window, id, externalId);
  expect(endUser).toEqual({
    endUserId: id,
    externalId,
    costSummary: { totalCost, eventCount, inputTokens, outputTokens, firstSeenAt: isoOf(firstSeen) },
    trend: { series: [{ key, label, dataPoints: points.map((point) => camelCase(point)) }] },
  });
}

/** Every cost has an explanation: its lines and entries add up to it, now and as of a moment before pricing. */
export async function checkExplanations(books: Books, random: Random, count: number): Promise<void> {
  for (const event of random.shuffle(books.live()).slice(0, count)) {
    const { costExplanation: explanation, before } = await askGraph(
      books,
      `query ($id: ID!) {
      costExplanation(eventId: $id) { eventId status totalCost reason entries { totalCost modelSlug lines { cost } } }
      before: costExplanation(eventId: $id, asOf: "2000-01-01") { totalCost entries { sequence } }
    }`,
      { id: event.id },
    );
    const total = event.cost && printAmount(event.cost.total);
    expect({ ...explanation, entries: undefined, reason: undefined }).toEqual({
      eventId: event.id,
      status: event.cost ? 'COMPLETED' : 'PENDING_RATE_CARD',
      totalCost: total,
    });
    expect(before).toEqual({ totalCost: null, entries: [] });
    if (event.cost === null) expect(explanation.reason).toEqual(expect.any(String));
    const add = (amounts: string[]) => printAmount(sumOf(amounts.map(amount)));
    if (event.cost !== null)
      expect(add(explanation.entries.map((entry: { totalCost: string }) => entry.totalCost))).toBe(total);
    for (const { totalCost, lines } of explanation.entries) {
      if (lines.length > 0) expect(add(lines.map((entry: { cost: string }) => entry.cost)), event.id).toBe(totalCost);
    }
  }
}

function camelCase(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
