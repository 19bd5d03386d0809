/**
 * Sends a shuffled, duplicated, partly rejected, backdated history through the public API, and compares every read
 * with an independent model: one event at a time, in integers, based only on the contract and the decisions.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, graphql, settle } from '../api-client.ts';
import type { Card } from './book-cards.ts';
import { type NamedModel, randomEvent, randomInstant, type SentEvent } from './book-event.ts';
import { DAY, isoOf, micros } from './book-instant.ts';
import { checkExplanations, checkGraph } from './check-graph.ts';
import { checkReads } from './check-reads.ts';
import { checkSessions } from './check-sessions.ts';
import { checkSummaries } from './check-summary.ts';
import { amount, printAmount } from './exact-amount.ts';
import { Books, type Item, rangeOf } from './keep-books.ts';
import { priced, type Window, totalOf, within } from './plain-books.ts';
import { type Random, seededRandom } from './seeded-random.ts';
import type { RunningService } from '../running-service.ts';

/** The same history every time in CI. */
const SEED = Number(
  process.env['BOOKS_SEED'] ?? (process.env['CI'] ? 170_692_784 : Math.floor(Math.random() * 2 ** 31)),
);
const EVENTS = 700;
const NOW = BigInt(Date.now()) * 1000n;
/** Covers every window of the summary, and some future events. */
const HISTORY = { from: micros(`${new Date().getUTCFullYear() - 2}-03-01`), to: NOW + 2n * DAY };
const CATALOGUE_FROM = NOW - 150n * DAY;
const NEW_VERSION_FROM = NOW - 40n * DAY - 1_234_567_000n;
const ANY = [null, 'openai', 'OpenAI', 'anthropic', 'bedrock', 'häusle', 'unheard-of'];
const KEYS = [
  'agent_id',
  'team',
  'region',
  'level',
  'experiment_id',
  'variant',
  'session_type',
  'feature',
  'workflow_id',
  'model',
  'provider',
  'nested',
  'nothing',
];

const TIERED = { input: '3', output: '15', cacheCreation: '3.75', cacheRead: '0.3' };
const TIERS = [
  {
    aboveInputTokens: 50_000,
    input: '6',
    output: '22.5',
    cacheCreation: '7.5',
    cacheRead: '0.6',
    reasoning: '23.000000001',
  },
  {
    aboveInputTokens: 100_000,
    input: '7.123456789',
    output: '25',
    cacheCreation: '8',
    cacheRead: '0.7',
    reasoning: '26',
  },
];
const HAND_WRITTEN: readonly Card[] = [
  {
    model: 'books-plain',
    provider: null,
    slug: 'books-plain',
    versions: [{ from: null, rates: { input: '2.5', output: '10' } }],
  },
  {
    model: 'books-plain-large',
    provider: null,
    slug: 'books-plain-large',
    versions: [
      { from: null, rates: { input: '5.123456789', output: '20', reasoning: '30.000000001', cacheRead: '0' } },
    ],
  },
  {
    model: 'books-tiered',
    provider: 'anthropic',
    slug: 'books-tiered',
    versions: [{ from: null, rates: TIERED, tiers: TIERS }],
  },
  {
    model: 'books-picture',
    provider: null,
    slug: 'books-picture',
    versions: [{ from: null, rates: {}, unitPrice: '0.040000007' }],
  },
  {
    model: 'books-search',
    provider: null,
    slug: 'books-search',
    versions: [{ from: null, rates: { input: '1', output: '4' }, unitPrices: { web_searches: '0.01' } }],
  },
];
const LATE: Card = {
  model: 'books-late',
  provider: null,
  slug: 'books-late',
  versions: [{ from: null, rates: { input: '0.15', output: '0.6' } }],
};
const CATALOGUE = [
  { model: 'gpt-4o', provider: 'openai' },
  { model: 'gpt-4o-mini-2024-07-18', provider: 'openai' },
  { model: 'claude-sonnet-4-5-20250929', provider: 'anthropic' },
];
const MODELS: readonly NamedModel[] = [
  ...[
    'books-plain',
    'Books-Plain-2',
    'books-plain-large-v1',
    'books-search',
    'books-picture',
    'books-late-3',
    'nobody-prices-this',
  ].map((model) => ({ model, providers: ANY, tokensMax: model.includes('large') ? 50_000_000_000 : 500_000 })),
  { model: 'books-tiered', providers: [null, 'anthropic', 'claude'], tokensMax: 150_000 },
  { model: 'books-tiered-20260101', providers: ['anthropic'], tokensMax: 150_000 },
  ...CATALOGUE.map(({ model, provider }) => ({
    model,
    providers: [provider],
    tokensMax: 20_000,
    from: CATALOGUE_FROM,
  })),
];

let service: RunningService;
let books: Books;
let random: Random;

async function operate(document: string, variables: object = {}): Promise<any> {
  const { body } = await graphql(
    service.url,
    service.firstRun.operator_token,
    document,
    variables,
    service.firstRun.organization_id,
  );
  expect(body.errors, document).toBeUndefined();
  return body.data;
}

async function setRate({ model, provider, versions }: Card, isGlobal = false): Promise<void> {
  const { from, rates, unitPrices = {}, ...more } = versions.at(-1)!;
  const named = Object.entries(unitPrices).map(([name, price]) => ({ name, price }));
  const input = {
    model,
    provider,
    ...rates,
    ...more,
    unitPrices: named,
    ...(from === null ? {} : { effectiveFrom: isoOf(from) }),
  };
  const document =
    'mutation ($input: RateSetInput!) { rateSet(input: $input) { rate { modelSlug } userErrors { message code } } }';
  const { body } = await graphql(
    service.url,
    service.firstRun.operator_token,
    document,
    { input },
    isGlobal ? undefined : service.firstRun.organization_id,
  );
  expect(body.errors).toBeUndefined();
}

/** The client's estimate, and the model's name in the ledger. */
async function catalogueCards(): Promise<Card[]> {
  const { body } = await get(service.url, '/rate-cards/estimation-table', service.firstRun.live_read_key);
  return Promise.all(
    CATALOGUE.map(async ({ model, provider }) => {
      const row = body.items
        .filter(({ model_slug: slug }: { model_slug: string }) => model.startsWith(slug))
        .sort(
          (one: { model_slug: string }, other: { model_slug: string }) =>
            other.model_slug.length - one.model_slug.length,
        )[0];
      const { rateMatch } = await operate(
        'query ($model: String!, $provider: String!) { rateMatch(model: $model, provider: $provider) { modelSlug unitPrices { name price } } }',
        { model, provider },
      );
      const rates = {
        input: row.input_cost_per_million,
        output: row.output_cost_per_million,
        cacheCreation: row.cache_creation_cost_per_million,
        cacheRead: row.cache_read_cost_per_million,
        reasoning: row.reasoning_cost_per_million,
      };
      return {
        model,
        provider,
        slug: rateMatch.modelSlug,
        versions: [
          {
            from: null,
            rates,
            unitPrices: Object.fromEntries(rateMatch.unitPrices.map(({ name, price }: any) => [name, price])),
          },
        ],
      };
    }),
  );
}

/** The history with resends, resends with other content, invalid items, and a few test events. */
function shuffled(events: readonly SentEvent[]): { items: Item[]; live: boolean }[] {
  const resends = random
    .shuffle(events)
    .slice(0, events.length / 4)
    .map(({ body, event }) => ({
      body: random.often(50) ? body : { ...body, model: 'another', input_tokens: 1 },
      event,
    }));
  const faults = [
    'no event',
    {},
    { ...events[0]!.body, input_tokens: -1 },
    { ...events[0]!.body, event_invoked_at: '2026-02-30T00:00:00Z' },
    { ...events[0]!.body, cost_override: '1e3' },
    null,
    [],
  ];
  const items: Item[] = random.shuffle([...events, ...faults.map((body) => ({ body, event: null }))]);
  // A resend is sent after its original, because the service keeps the first of two different versions.
  for (const resend of resends)
    items.splice(random.int(items.findIndex(({ event }) => event === resend.event) + 1, items.length), 0, resend);
  const batches: { items: Item[]; live: boolean }[] = [];
  for (let rest = items; rest.length > 0;) {
    const size = random.int(1, 100);
    batches.push({ items: rest.slice(0, size), live: true });
    rest = rest.slice(size);
    if (random.often(20)) batches.push({ items: random.shuffle(events).slice(0, 5), live: false });
  }
  return batches;
}

function randomWindow(window: Window): Window {
  const [one, other] = [
    randomInstant(random, { from: window.start, to: window.end }),
    randomInstant(random, { from: window.start, to: window.end }),
  ];
  if (one === other) return randomWindow(window);
  return one < other ? { start: one, end: other } : { start: other, end: one };
}

async function checkEverything(registered: readonly string[], windows: readonly Window[]): Promise<void> {
  const others = [
    'agent_id',
    'model',
    'provider',
    ...KEYS.filter((key) => ['team', 'region', 'level'].includes(key) && !registered.includes(key)),
  ];
  for (const window of windows) {
    await checkReads(books, window, { dimensions: registered, others }, random);
    await checkGraph(books, window, random.shuffle(KEYS).slice(0, 4), random);
  }
  await checkSummaries(books);
  await checkSessions(books);
  await checkExplanations(books, random, 8);
  const found = await operate(
    '{ verifyCosting { check differences } verifyAttribution { check differences } verifyRevenue { check differences } }',
  );
  for (const [name, checks] of Object.entries<{ check: string; differences: string[] }[]>(found)) {
    expect(checks.length, name).toBeGreaterThan(0);
    expect(
      checks.filter(({ differences }) => differences.length > 0),
      name,
    ).toEqual([]);
  }
}

const EVERYTHING: Window = { start: HISTORY.from - DAY, end: HISTORY.to + DAY };
const RECENT: Window = { start: NOW - 60n * DAY, end: HISTORY.to };

/** Tests of a service that `open` returns and `service.stop` stops. */
export function describeBooks(open: () => Promise<RunningService>): void {
  describe(`the books of seed ${SEED}`, () => {
    let first: SentEvent[];
    let second: SentEvent[];

    beforeAll(async () => {
      service = await open();
      random = seededRandom(SEED);
      books = new Books(service, [...HAND_WRITTEN, ...(await catalogueCards())]);
      for (const card of HAND_WRITTEN) await setRate(card, card.model === 'books-search');
      await operate(
        'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }',
      );
      const events = Array.from({ length: EVENTS }, (_, index) =>
        randomEvent(random, `key ${index}`, MODELS, random.often(30) ? { ...HISTORY, from: RECENT.start } : HISTORY),
      );
      [first, second] = [events.slice(0, EVENTS / 2), events.slice(EVENTS / 2)];
    });
    afterAll(() => service.stop());

    it('agree after the first half, while events without a rate still wait', async () => {
      for (const { items, live } of shuffled(first)) await books.send(items, live);
      await books.settle();
      expect(books.live().length).toBe(first.length);
      await checkEverything(
        ['team'],
        [EVERYTHING, randomWindow(EVERYTHING), randomWindow(RECENT), randomWindow(RECENT)],
      );
    });

    it('agree after late rates, late dimensions, and events that found no credit at first', async () => {
      await operate(
        'mutation { planSet(input: { allotment: 150, softLimit: 100 }) { credits { creditsLeft } userErrors { message code } } }',
      );
      books.setPlan(150, 100);
      const refused: Item[] = [];
      for (const { items, live } of shuffled(second)) refused.push(...(await books.send(items, live)));
      expect(refused.length).toBeGreaterThan(0);
      expect((await operate('{ credits { creditsLeft } }')).credits.creditsLeft).toBe(0);
      await operate(
        'mutation { eventPackAdd(input: { events: 1000 }) { eventPack { packId } userErrors { message code } } dimensionRegister(input: { key: "region" }) { dimension { key } userErrors { message } } }',
      );
      books.addPack(1000);
      for (let at = 0; at < refused.length; at += 100)
        await books.send(
          refused.slice(at, at + 100).filter(({ event }) => event?.live),
          true,
        );
      expect((await operate('{ credits { creditsLeft } }')).credits.creditsLeft).toBe(books.creditsLeft);

      await settle(service.url, service.firstRun.operator_token);
      await setRate(LATE);
      books.cards = [...books.cards, LATE];
      await books.settle();
      await checkEverything(
        ['team', 'region'],
        [
          EVERYTHING,
          randomWindow(EVERYTHING),
          randomWindow(EVERYTHING),
          randomWindow(EVERYTHING),
          randomWindow(RECENT),
          randomWindow(RECENT),
        ],
      );
    });

    it('agree after a repricing by a new version of a card, and after its revert', async () => {
      const next = {
        from: NEW_VERSION_FROM,
        rates: { ...TIERED, input: '2', cacheRead: '0.000000001' },
        tiers: TIERS.slice(0, 1),
      };
      await setRate({ ...HAND_WRITTEN[2]!, versions: [next] });
      books.cards = books.cards.map((card) =>
        card.model === 'books-tiered' ? { ...card, versions: [...card.versions, next] } : card,
      );
      const window = { start: NOW - 60n * DAY, end: NOW - 3n * DAY };
      const before = totalOf(priced(books.live()));
      const takeBack = books.reprice(window);
      const difference = printAmount(totalOf(priced(books.live())) - before);
      const document =
        'mutation ($start: Instant!, $end: Instant!) { repricingRun(input: { start: $start, end: $end }) { repricing { repricingId difference } userErrors { message code } } }';
      const {
        repricingRun: { repricing: reprice },
      } = await operate(document, { start: isoOf(window.start), end: isoOf(window.end) });
      expect(reprice.difference).toBe(difference);
      expect(difference).not.toBe('0');
      await books.settle();
      await checkEverything(['team', 'region'], [EVERYTHING, randomWindow(RECENT), window]);

      await operate(
        'mutation ($id: ID!) { repricingRevert(input: { repricingId: $id }) { repricing { difference } userErrors { message code } } }',
        {
          id: reprice.repricingId,
        },
      );
      takeBack();
      await books.settle();
      expect(totalOf(priced(books.live()))).toBe(before);
      await checkEverything(['team', 'region'], [randomWindow(RECENT), window]);
    });

    it('add up: adjacent windows to their union, in every breakdown', async () => {
      const { start, end } = randomWindow(EVERYTHING);
      const cut = randomInstant(random, { from: start, to: end });
      const read = async (path: string, window: Window) =>
        (
          await get(
            service.url,
            `${path}${path.includes('?') ? '&' : '?'}${rangeOf(window)}`,
            service.firstRun.live_read_key,
          )
        ).body;
      const windows =
        cut === start
          ? [{ start, end }]
          : [
              { start, end: cut },
              { start: cut, end },
            ];
      for (const path of [
        '/cost-data/by-model',
        '/cost-data/by-provider',
        '/attribution-data/by-agent',
        '/dimension-data/cost-breakdown?dimension_key=team',
      ]) {
        const whole = (await read(path, { start, end })).total_cost;
        const parts = await Promise.all(windows.map(async (window) => amount((await read(path, window)).total_cost)));
        expect(printAmount(parts.reduce((one, other) => one + other)), path).toBe(whole);
      }
      expect(printAmount(totalOf(priced(within(books.live(), { start, end }))))).toBe(
        (await read('/cost-data/by-model', { start, end })).total_cost,
      );
    });
  });
}
