/**
 * Insights, and previews of when a rule would have fired, over a service with costs, revenue and a model without a
 * price.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { start as startProcessor, type StripeStandIn } from '../../../../packages/stripe-stand-in/server.ts';
import { smallerSiblings } from '#kernel/smaller-siblings.ts';
import { graphql, postSignedExt } from '../../../support/api-client.ts';
import { countReads } from '../../../support/count-reads.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../../support/service-with-events.ts';
import { usageEvent } from '../../../support/usage-event.ts';
import { syncCustomers } from './sync-customers.ts';

const DAY_MS = 86_400_000;
const MIDNIGHT = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const daysAgo = (days: number) => new Date(MIDNIGHT - days * DAY_MS).toISOString();
/** In the middle of a past day. */
const call = (user: string, days: number, model: string, tokens: number, more: object = {}) =>
  usageEvent({
    ...more,
    user_id: user,
    model,
    input_tokens: tokens,
    output_tokens: 0,
    event_invoked_at: new Date(MIDNIGHT - days * DAY_MS + DAY_MS / 2).toISOString(),
  });

let service: ServiceWithEvents;
let processor: StripeStandIn;
beforeAll(async () => {
  processor = await startProcessor();
  // Ten days that begin with a month are compared with the same days of the month before, others with the ten days
  // before: both have events.
  // gpt-4o costs 2.50 USD per million: 0.25 a day for each customer, and another 10 a day for acme in the last ten
  // days.
  const days = Array.from({ length: 75 }, (_, day) => day + 1);
  service = await serviceWithEvents([
    ...days.flatMap((day) => [
      call('acme', day, 'gpt-4o', 100_000),
      call('globex', day, 'gpt-4o', 100_000, { metadata: { task_id: `task-${day}` } }),
    ]),
    ...days.slice(0, 10).map((day) => call('acme', day, 'gpt-4o', 4_000_000)),
    call('globex', 2, 'our-own-model', 2_000_000),
    call('globex', 1, 'our-own-model', 1_000_000),
  ]);
  await syncCustomers(service, processor, ['acme', 'globex'], { from: daysAgo(90), to: daysAgo(-20) });
});
afterAll(async () => {
  await service.stop();
  await processor.stop();
});

async function ask(document: string, variables: object = {}, token = service.firstRun.live_read_key): Promise<any> {
  const organization = token === service.firstRun.operator_token ? service.firstRun.organization_id : undefined;
  const { body } = await graphql(service.url, token, document, variables, organization);
  expect(body.errors).toBeUndefined();
  return body.data;
}

describe('insights', () => {
  const INSIGHTS = `query ($start: Instant!, $end: Instant!, $first: Int!) { window(start: $start, end: $end) {
    insights(first: $first) { kind sentence atStake figures { name value unit } query { document variables } path }
  } }`;
  const insights = async (days: number, first = 20, token?: string) =>
    (await ask(INSIGHTS, { start: daysAgo(days), end: new Date().toISOString(), first }, token)).window.insights;

  it('are the largest changes, customers who became unprofitable, missing prices and cheaper models, by amount', async () => {
    const found = await insights(10);
    expect(found.map(({ kind, atStake }: any) => [kind, atStake])).toEqual([
      ['COST_CHANGE', '100'],
      ['CHEAPER_MODEL', '98.7'],
      ['CUSTOMER_TURNED_UNPROFITABLE', '82.5'],
      // Two events, at the average of 30 events that cost 105 USD.
      ['UNPRICED_MODEL', '7'],
    ]);
    const [change, cheaper, turned, unpriced] = found.map(({ sentence }: any) => sentence);
    expect(change).toMatch(
      /^From \d+ \w+ to \d+ \w+, costs were \$105\.00, \$100\.00 more than in (?:the 10 days before|1 \w+ to 10 \w+) \(\+2,000\.00%\): \+\$97\.50 from larger calls, \+\$2\.50 from more calls \(30, previously 20\)\. Main cause: acme: \$102\.50 of \$105\.00\.$/,
    );
    expect(cheaper).toContain(
      "switching from gpt-4o to gpt-4o-mini would have saved $98.70 of $105.00 at today's prices",
    );
    expect(turned).toMatch(
      /acme cost \$102\.50 and paid \$20\.00: a loss of \$82\.50\. In (?:the 10 days before|1 \w+ to 10 \w+), the margin was \$17\.50\.$/,
    );
    expect(unpriced).toMatch(/^2 events of our-own-model.* have had no price since /);
  });

  it('show figures that their own queries return, and link to the days of these figures', async () => {
    for (const { kind, figures, query, path } of await insights(10)) {
      const answer = JSON.stringify(await ask(query.document, query.variables));
      for (const { name, value } of figures)
        expect([kind, name, answer.includes(`"${value}"`) || answer.includes(`:${value}`)]).toEqual([kind, name, true]);
      if (kind !== 'UNPRICED_MODEL') {
        expect(path).toContain(`from=${daysAgo(10).slice(0, 10)}`);
        expect(path).toContain(`to=${daysAgo(1).slice(0, 10)}`);
      }
    }
  });

  it('are few, and mention margins only to people who may read them', async () => {
    expect(await insights(10, 2)).toHaveLength(2);
    const made = await service.operate(
      'mutation { apiKeyCreate(input: { name: "costs", environment: "live", scopes: ["costs:read"] }) { createdApiKey { secret } userErrors { message } } }',
    );
    const kinds = (await insights(10, 20, made.apiKeyCreate.createdApiKey.secret)).map(({ kind }: any) => kind);
    expect(kinds).toEqual(['COST_CHANGE', 'CHEAPER_MODEL', 'UNPRICED_MODEL']);
  });

  it('are empty if no day is over, if there is nothing to compare with, or if nothing changed', async () => {
    const today = { start: new Date(MIDNIGHT).toISOString(), end: new Date().toISOString(), first: 5 };
    expect((await ask(INSIGHTS, today)).window.insights).toEqual([]);
    const calm = (await ask(INSIGHTS, { start: daysAgo(30), end: daysAgo(20), first: 5 })).window.insights;
    expect(calm.map(({ kind }: any) => kind)).toEqual(['CHEAPER_MODEL']);
  });

  it('name smaller variants by their family', () => {
    const names: Record<string, string[]> = {
      'gpt-4o-2024-08-06': ['gpt-4o-mini', 'gpt-4o-small'],
      'gpt-4o-mini': ['gpt-4o-nano'],
      'claude-opus-4-1-20250805': ['claude-sonnet-4-1'],
      'claude-sonnet-4-5': ['claude-haiku-4-5'],
      'gemini-2.5-pro': ['gemini-2.5-flash'],
      'gemini-2.5-flash-lite': [],
      'mistral-large-latest': ['mistral-medium', 'mistral-small'],
      'claude-haiku-4-5': [],
    };
    for (const [model, siblings] of Object.entries(names))
      expect([model, smallerSiblings(model)]).toEqual([model, siblings]);
  });
});

describe('a preview', () => {
  const PREVIEW = `query ($input: AlertRuleSaveInput!, $days: Int!) { alertPreview(input: $input, days: $days) {
    start end episodesPerMonth reason
    episodes { groupKey groupName severity openedAt closedAt level sentence figures { name value } path }
  } }`;
  const preview = async (input: object, days = 30) =>
    (await ask(PREVIEW, { input: { name: 'Tried', ...input }, days }, service.firstRun.operator_token)).alertPreview;
  /** For each opening and closing of an episode, how many days ago the evaluated day ended. */
  const days = ({ episodes }: any) =>
    episodes.map(({ groupKey, openedAt, closedAt }: any) => [
      groupKey,
      Math.ceil((MIDNIGHT - Date.parse(openedAt)) / DAY_MS),
      closedAt && Math.ceil((MIDNIGHT - Date.parse(closedAt)) / DAY_MS),
    ]);

  it('a preview of an anomaly opens an incident with the day that cost twenty times as much, two hours after its end', async () => {
    const previewed = await preview({ kind: 'ANOMALY' });
    expect(previewed.episodes).toMatchObject([
      {
        groupKey: '',
        groupName: null,
        severity: 'CRITICAL',
        openedAt: new Date(Date.parse(daysAgo(9)) + DAY_MS / 12).toISOString(),
        closedAt: null,
      },
    ]);
    expect(previewed.episodes[0].sentence).toContain('$10.50');
    expect(previewed).toMatchObject({ start: daysAgo(30), end: daysAgo(0), episodesPerMonth: 1, reason: null });
  });

  it('a preview of a threshold opens incidents when the figure exceeds it, and closes them when it does not', async () => {
    const input = { kind: 'THRESHOLD', metric: 'COST', windowDays: 1, groupBy: 'END_USER' };
    expect(days(await preview({ ...input, value: '5' }))).toEqual([['acme', 9, null]]);
    expect(
      days(await preview({ ...input, value: '0.2' }, 20))
        .map(([user]: [string]) => user)
        .sort(),
    ).toEqual(['acme', 'globex']);
    expect(days(await preview({ ...input, value: '11' }))).toEqual([]);
    // All calls of a day are in one hour.
    const hourly = await preview({ kind: 'THRESHOLD', metric: 'COST', windowHours: 1, value: '1' }, 5);
    expect(hourly.episodes).toHaveLength(5);
    expect(hourly.episodes[0]).toMatchObject({
      openedAt: new Date(Date.parse(daysAgo(5)) + 13 * 3_600_000).toISOString(),
      closedAt: new Date(Date.parse(daysAgo(5)) + 14 * 3_600_000).toISOString(),
    });
  });

  it('a preview of a daily budget opens an incident on each day', async () => {
    const { episodes } = await preview({ kind: 'BUDGET', period: 'DAY', amount: '10' }, 12);
    expect(episodes.map(({ level }: any) => level)).toEqual(Array(10).fill(100));
    expect(episodes.slice(0, -1).every(({ closedAt }: any) => closedAt !== null)).toBe(true);
  });

  it('a preview of an unprofitable customer opens an incident on the second day with a loss over thirty days', async () => {
    // In 30 days, revenue is 60 USD. Six days at 10.25 USD and the rest at 0.25 cost 67.5; seven such days make it
    // 77.5.
    expect(days(await preview({ kind: 'CUSTOMER_UNPROFITABLE' }, 20))).toEqual([['acme', 3, null]]);
  });

  it('a preview of the cost per completed task opens an incident when too many attempts failed', async () => {
    // A task of 0.25 USD a day, which failed five and four days ago: 1.75 USD of seven days are 0.2917 for each of six
    // completed tasks, and 0.35 for each of five.
    const outcomes = Array.from({ length: 20 }, (_, index) => ({
      key: `task-${index + 1}`,
      name: 'report_written',
      task_id: `task-${index + 1}`,
      at: new Date(MIDNIGHT - index * DAY_MS - 1).toISOString(),
      succeeded: index + 1 !== 5 && index + 1 !== 4,
    }));
    const { body } = await postSignedExt(service.url, '/outcomes', service.firstRun.live_ingest_key, outcomes);
    expect(body.accepted).toBe(20);
    const previewed = await preview(
      { kind: 'COST_PER_SUCCESS', outcome: 'report_written', value: '0.3', windowDays: 7 },
      10,
    );
    expect(days(previewed)).toEqual([['', 3, null]]);
    expect(previewed.episodes[0].sentence).toMatch(
      /^Each completed report_written cost \$0\.35 in the 7 days to .*; the limit is \$0\.30\. 5 of 7 attempts were completed, and failed attempts cost \$0\.50\.$/,
    );
  });

  it('a preview of silence opens no incident for a daily pattern', async () => {
    expect(days(await preview({ kind: 'NO_DATA' }, 20))).toEqual([]);
  });

  it('says why a kind of rule has no preview', async () => {
    for (const input of [
      { kind: 'UNPRICED' },
      { kind: 'CREDITS_LOW' },
      { kind: 'UNIT_COST', metric: 'COST_PER_THOUSAND_TOKENS' },
    ])
      expect(await preview(input)).toMatchObject({
        episodes: [],
        reason: expect.stringContaining('there is no preview'),
      });
  });

  it('refuses what saving the rule would refuse, and figures that the caller may not read', async () => {
    const send = async (input: object, token: string, organization?: string) =>
      (await graphql(service.url, token, PREVIEW, { input: { name: 'Tried', ...input }, days: 30 }, organization)).body
        .errors?.[0];
    const { operator_token: operator, organization_id: organization } = service.firstRun;
    expect(await send({ kind: 'THRESHOLD', metric: 'COST' }, operator, organization)).toMatchObject({
      message: expect.stringContaining('value'),
      extensions: { code: 'VALIDATION_ERROR' },
    });
    const made = await service.operate(
      'mutation { apiKeyCreate(input: { name: "costs too", environment: "live", scopes: ["costs:read"] }) { createdApiKey { secret } userErrors { message } } }',
    );
    const refused = await send({ kind: 'CUSTOMER_UNPROFITABLE' }, made.apiKeyCreate.createdApiKey.secret);
    expect(refused.extensions.code).toBe('FORBIDDEN');
  });
});

// Last, because it changes the figures.
it('insights simulate a smaller model only if it has a rate card of its own', async () => {
  const INSIGHTS = `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) { insights(first: 20) { kind } } }`;
  await service.operate(
    'mutation { rateSet(input: { model: "house", input: "1000", output: "0" }) { userErrors { message } } }',
  );
  // Priced by the card of `house`, as `house-1-mini` would be.
  await service.send([call('acme', 3, 'house-1', 1_000_000)]);
  const { documents } = await countReads(() => ask(INSIGHTS, { start: daysAgo(10), end: new Date().toISOString() }));
  // `gpt-4o` by `gpt-4o-mini`.
  expect(documents.filter((name) => name === 'InsightCheaper')).toHaveLength(1);
});
