/**
 * Seven organizations with one planted problem each, in signed events through the whole service, and what its rounds
 * find: by which rule, and how soon. Keep the table in subgraphs/alerting/README.md in step with this one.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { evaluateNow } from '../support/alerted-service.ts';
import { graphql, post, settle } from '../support/api-client.ts';
import { type RunningService, runningService } from '../support/running-service.ts';
import { usageEvent } from '../support/usage-event.ts';
import { MINUTES } from '../support/patience.ts';

// Fills a service with months of events.
vi.setConfig(MINUTES);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.now();
/** The last day that rounds evaluate: it ended two hours ago. */
const JUDGED = Math.floor((NOW - 2 * HOUR_MS) / DAY_MS) * DAY_MS - DAY_MS;
const YESTERDAY = JUDGED - DAY_MS;
const HOURS = 36 * 24;

type Event = Record<string, unknown>;
interface Shape {
  readonly name: string;
  /** Start of the problem. */
  readonly at: number;
  /** For each rule that finds the problem, the hours within which it does. No other rule may find it. */
  readonly found: Readonly<Partial<Record<string, number>>>;
  readonly events: (time: number, hour: number) => Event[];
}

/** Between 0.95 and 1.05, the same in every run. */
const noise = (hour: number) => 0.95 + ((hour * 7_919) % 101) / 1_000;
const tokens = (count: number, hour: number) => Math.round(count * noise(hour));
/** 1 USD per million, and 2 from `YESTERDAY` on; a million tokens an hour. */
const own = (hour: number, more: Event = {}): Event => ({
  model: 'acme-1',
  provider: 'acme',
  user_id: 'ada',
  input_tokens: tokens(1_000_000, hour),
  output_tokens: 0,
  ...more,
});

/**
 * A finished day is evaluated two hours after its end, so a problem that needs two days is found 50 hours after it
 * began.
 */
const ONE_DAY = 26;
const TWO_DAYS = 50;
/**
 * Hours until a source with one call an hour is found silent: three times its gap, and up to six more, because a
 * preview evaluates the past of groups only every six hours.
 */
const SILENT = 10;

const SHAPES: readonly Shape[] = [
  {
    name: 'price doubled',
    at: YESTERDAY,
    found: { UNIT_COST: TWO_DAYS, ANOMALY: TWO_DAYS },
    events: (_, hour) => [own(hour)],
  },
  {
    name: 'retry loop',
    at: JUDGED,
    found: { ANOMALY: ONE_DAY },
    // Every call is made four times, for a day.
    events: (time, hour) =>
      Array.from({ length: time >= JUDGED && time < JUDGED + DAY_MS ? 4 : 1 }, () =>
        own(hour, { model: 'acme-steady' }),
      ),
  },
  {
    name: 'cache lost',
    at: YESTERDAY,
    found: { UNIT_COST: TWO_DAYS, ANOMALY: TWO_DAYS },
    // 60 % of a million tokens came from the cache, at a tenth of the price: 0.46 USD, and 1 without it.
    events: (time, hour) => {
      const input = tokens(1_000_000, hour);
      const cached = time >= YESTERDAY ? 0 : Math.round(0.6 * input);
      return [own(hour, { model: 'acme-steady', input_tokens: input - cached, cache_read_input_tokens: cached })];
    },
  },
  {
    name: 'model switched',
    at: JUDGED,
    found: { UNIT_COST: ONE_DAY, ANOMALY: ONE_DAY },
    events: (time, hour) => [own(hour, { model: time >= JUDGED ? 'acme-large' : 'acme-steady' })],
  },
  {
    name: 'new customer',
    at: YESTERDAY - 3 * DAY_MS,
    found: {},
    events: (time, hour) => [
      own(hour, { model: 'acme-steady' }),
      ...(time >= YESTERDAY - 3 * DAY_MS
        ? [own(hour, { model: 'acme-steady', user_id: 'new', input_tokens: tokens(200_000, hour) })]
        : []),
    ],
  },
  {
    name: 'customer gone',
    at: NOW - 12 * HOUR_MS,
    found: { NO_DATA: SILENT },
    events: (time, hour) => [
      own(hour, { model: 'acme-steady' }),
      ...(time < NOW - 12 * HOUR_MS ? [own(hour, { model: 'acme-steady', user_id: 'gone' })] : []),
    ],
  },
  {
    name: 'source silent',
    at: NOW - 12 * HOUR_MS,
    found: { NO_DATA: SILENT },
    events: (time, hour) => (time < NOW - 12 * HOUR_MS ? [own(hour, { model: 'acme-steady' })] : []),
  },
];
const RULES = [
  { kind: 'ANOMALY', name: 'Cost of a day' },
  { kind: 'UNIT_COST', name: 'Cost of an event' },
  { kind: 'NO_DATA', name: 'Silence', groupBy: 'END_USER' },
];

let service: RunningService;
let rulesSavedAt: number;
const organizations = new Map<string, string>();

async function operate(organization: string | undefined, document: string, variables: object = {}): Promise<any> {
  const { body } = await graphql(service.url, service.firstRun.operator_token, document, variables, organization);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
}

async function plant({ name, events }: Shape): Promise<void> {
  const made = await operate(
    undefined,
    `mutation ($email: String!) { organizationCreate(input: { name: "Planted", ownerEmail: $email, ownerPassword: "correct horse battery" }) { createdOrganization { organization { id } } userErrors { message code } } }`,
    { email: `${name.replace(' ', '-')}@example.com` },
  );
  const { id } = made.organizationCreate.createdOrganization.organization;
  organizations.set(name, id);
  const rate = (model: string, input: string, more = '') =>
    `rateSet(input: { model: "${model}", provider: "acme", input: "${input}", cacheRead: "0.1", output: "0"${more} }) { rate { modelSlug } userErrors { message code } }`;
  const { key } = await operate(
    id,
    `mutation {
      first: ${rate('acme-1', '1')} doubled: ${rate('acme-1', '2', `, effectiveFrom: "${new Date(YESTERDAY).toISOString()}"`)}
      steady: ${rate('acme-steady', '1')} large: ${rate('acme-large', '4')}
      key: apiKeyCreate(input: { name: "i", environment: "live", preset: "ingest" }) { createdApiKey { secret } userErrors { message } }
    }`,
  );
  const all = Array.from({ length: HOURS }, (_, index) => HOURS - 1 - index).flatMap((hour) => {
    const time = NOW - hour * HOUR_MS - 10 * 60_000;
    return events(time, hour).map((event) => usageEvent({ ...event, event_invoked_at: new Date(time).toISOString() }));
  });
  for (let at = 0; at < all.length; at += 100) {
    const { body } = await post(service.url, '/usage-events/batch', key.createdApiKey.secret, all.slice(at, at + 100));
    if (body.failed !== 0) throw new Error(JSON.stringify(body).slice(0, 500));
  }
}

beforeAll(async () => {
  service = await runningService();
  for (const shape of SHAPES) await plant(shape);
  await settle(service.url, service.firstRun.operator_token);
  for (const id of organizations.values())
    for (const input of RULES)
      await operate(
        id,
        'mutation ($input: AlertRuleSaveInput!) { alertRuleSave(input: $input) { userErrors { message } } }',
        {
          input,
        },
      );
  rulesSavedAt = Date.now();
  for (const id of organizations.values()) await evaluateNow(service, id);
});
afterAll(() => service.stop());

describe.each(SHAPES.map((shape) => [shape.name, shape] as const))('%s', (name, { at, found }) => {
  it('is found by the right rules, and by no other', async () => {
    const rounds = async () => {
      const { alertEvaluation, alertEpisodes } = await operate(
        organizations.get(name),
        '{ alertEvaluation { evaluatedAt } alertEpisodes(first: 50) { nodes { kind ruleName figures { name value } } } }',
      );
      const own = alertEpisodes.nodes.filter(({ ruleName }: any) => RULES.some((rule) => rule.name === ruleName));
      for (const { figures } of own)
        for (const { name, value } of figures) if (name === 'allowed') expect(Number(value)).toBeLessThanOrEqual(3.5);
      return {
        isEvaluated: Date.parse(alertEvaluation.evaluatedAt) > rulesSavedAt,
        kinds: own.map(({ kind }: any) => kind).sort(),
      };
    };
    await expect
      .poll(rounds, { timeout: 240_000, interval: 100 })
      .toEqual({ isEvaluated: true, kinds: Object.keys(found).sort() });
  });

  it('is found in time', async () => {
    for (const { kind, ...rule } of RULES) {
      const { alertPreview } = await operate(
        organizations.get(name),
        'query ($input: AlertRuleSaveInput!) { alertPreview(input: $input, days: 14) { episodes { groupKey openedAt } } }',
        { input: { kind, ...rule } },
      );
      const hours = found[kind];
      const [episode, ...more] = alertPreview.episodes;
      expect([kind, more, episode === undefined]).toEqual([kind, [], hours === undefined]);
      if (episode === undefined || hours === undefined) continue;
      const after = (Date.parse(episode.openedAt) - at) / HOUR_MS;
      expect(after).toBeGreaterThan(0);
      expect(after).toBeLessThanOrEqual(hours);
    }
  });
});
