/** Rounds over a whole service: the findings match the graph, and nothing is found twice. */
import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { startWebhookReceiver } from '../../../support/webhook-receiver.ts';
import { type Alerting, startAlerting } from '../alerting-builder.ts';

const DAY_MS = 86_400_000;
/** A Sunday: rounds after its third hour evaluate the previous day. */
const NOW = Date.parse('2026-11-01T03:00:00Z');
const daysBefore = (days: number, hour = 12) =>
  new Date(Math.floor(NOW / DAY_MS) * DAY_MS - days * DAY_MS + hour * 3_600_000).toISOString();
const minutesAfter = (minutes: number) => new Date(NOW + minutes * 60_000);

let world: Alerting;
beforeAll(async () => {
  world = await startAlerting();
});
afterAll(() => world.close());

async function organization(): Promise<string> {
  const id = randomUUID();
  await world.watch(id);
  return id;
}

const STRIPE_KEY = 'rk_live_stand_in';

async function connect(own: string): Promise<void> {
  await world.ask(
    own,
    'mutation ($input: RevenueConnectInput!) { revenueConnect(input: $input) { userErrors { message } } }',
    { input: { processor: 'stripe', apiKey: STRIPE_KEY, endUserKey: 'user_id' } },
  );
}

const cost = (event_invoked_at: string, cost_override: string, more = {}) => ({
  event_invoked_at,
  cost_override,
  ...more,
});

it('the alert on events without a price opens after a quarter of an hour, is sent once, and closes when they have a price', async () => {
  const own = await organization();
  await world.send(own, [
    { model: 'unheard-of-9', event_invoked_at: daysBefore(0, 1) },
    { model: 'unheard-of-9', event_invoked_at: daysBefore(0, 2) },
  ]);
  await world.settle();
  await world.evaluate(minutesAfter(0), own);
  await world.evaluate(minutesAfter(14), own);
  expect(await world.episodes(own)).toEqual([]);
  await world.evaluate(minutesAfter(15), own);
  await world.evaluate(minutesAfter(16), own);
  const [episode, ...others] = await world.episodes(own);
  expect(others).toEqual([]);
  expect(episode).toMatchObject({
    ruleName: 'Events without a price',
    kind: 'UNPRICED',
    state: 'OPEN',
    groupName: 'unheard-of-9 (openai)',
    openedAt: minutesAfter(15).toISOString(),
    figures: [{ name: 'events', value: '2', unit: 'count' }],
    sentence: expect.stringMatching(
      /^2 events of unheard-of-9 \(openai\) have had no price since 1 Nov 2026, 01:00 UTC/,
    ),
    path: '/rates/waiting',
  });
  await world.ask(own, 'mutation ($input: RateSetInput!) { rateSet(input: $input) { userErrors { message } } }', {
    input: { model: 'unheard-of-9', provider: 'openai', input: '1', output: '1' },
  });
  await world.settle();
  await world.evaluate(minutesAfter(17), own);
  expect(await world.episodes(own)).toMatchObject([
    { state: 'CLOSED', closedReason: 'RECOVERED', closedAt: minutesAfter(17).toISOString() },
  ]);
});

describe('the query of an episode returns the same figure', () => {
  it('a threshold of hours by group', async () => {
    const own = await organization();
    const ruleId = await world.rule(own, {
      kind: 'THRESHOLD',
      metric: 'COST',
      value: '5',
      windowHours: 3,
      groupBy: 'AGENT',
    });
    await world.send(own, [
      cost(daysBefore(0, 1), '6.5', { metadata: { agent_id: 'loop' } }),
      cost(daysBefore(0, 1), '4', { metadata: { agent_id: 'calm' } }),
    ]);
    await world.settle();
    await world.evaluate(minutesAfter(0), own);
    const [episode, ...others] = await world.episodes(own);
    expect(others).toEqual([]);
    expect(episode).toMatchObject({
      ruleId,
      groupKey: 'loop',
      sentence: 'The cost of loop in the last 3 hours is $6.50, above $5.00.',
      figures: [
        { name: 'value', value: '6.5', unit: 'usd' },
        { name: 'threshold', value: '5', unit: 'usd' },
      ],
      path: '/costs?from=2026-11-01T00:00Z&to=2026-11-01T03:00Z&group=model&filter=agent:loop',
    });
    const { window } = await world.ask(own, episode.query.document, episode.query.variables);
    expect(window.costs.totalCost).toBe('6.5');
    // Three hours later, the window contains none of these costs.
    await world.evaluate(minutesAfter(180), own);
    expect(await world.episodes(own)).toMatchObject([{ state: 'CLOSED', closedReason: 'RECOVERED' }]);
  });

  it('a budget reports each level once a month, and the next month begins again', async () => {
    const own = await organization();
    await world.rule(own, { kind: 'BUDGET', amount: '100', name: 'November' });
    await world.send(own, [cost(daysBefore(0, 0), '55')]);
    await world.settle();
    await world.evaluate(minutesAfter(0), own);
    await world.evaluate(minutesAfter(1), own);
    const [episode] = await world.episodes(own);
    expect(episode).toMatchObject({
      level: 50,
      severity: 'WARNING',
      sentence: '$55.00 of the $100.00 budget for November 2026 is spent (55.00%).',
      path: '/costs?from=2026-11-01T00:00Z&to=2026-11-01T03:00Z&group=model',
    });
    const { window } = await world.ask(own, episode.query.document, episode.query.variables);
    expect(window.costs.totalCost).toBe('55');
    await world.send(own, [cost(daysBefore(0, 2), '50')]);
    await world.settle();
    await world.evaluate(minutesAfter(2), own);
    expect(await world.episodes(own)).toMatchObject([
      { id: episode.id, state: 'OPEN', level: 100, severity: 'CRITICAL' },
    ]);
    await world.evaluate('2026-12-01T00:01:00Z', own);
    expect(await world.episodes(own)).toMatchObject([{ state: 'CLOSED', closedReason: 'PERIOD_ENDED' }]);
  });

  it('an anomaly of a settled day: evaluated once, and late events change nothing', async () => {
    const own = await organization();
    const steady = Array.from({ length: 40 }, (_, day) => cost(daysBefore(day + 3), '10'));
    await world.send(own, [...steady, cost(daysBefore(2), '10'), cost(daysBefore(1), '95')]);
    await world.settle();
    await world.evaluate(minutesAfter(0), own);
    const [episode, ...others] = await world.episodes(own);
    expect(others).toEqual([]);
    expect(episode).toMatchObject({
      kind: 'ANOMALY',
      sentence:
        'The cost on 31 Oct 2026 was $95.00 instead of the usual $10.00 (850.00% more). ' +
        'Main cause: gpt-4o on 31 Oct, 12:00–13:00: $95.00 of $95.00. ' +
        'Compared with 24 Oct 2026: +$85.00 from larger calls.',
      windowStart: '2026-10-31T00:00:00.000Z',
      windowEnd: '2026-11-01T00:00:00.000Z',
      severity: 'CRITICAL',
      path: '/costs?from=2026-10-31&to=2026-10-31&group=model&compare=week',
    });
    const { window } = await world.ask(own, episode.query.document, episode.query.variables);
    expect(window.costTrend.series[0].points).toMatchObject([{ cost: '95' }]);
    const before = await world.rows('select * from alert_state where organization_id = $1', [own]);
    await world.send(own, [cost(daysBefore(1), '500'), cost(daysBefore(4), '500')]);
    await world.settle();
    await world.evaluate(minutesAfter(60), own);
    expect(await world.rows('select * from alert_state where organization_id = $1', [own])).toEqual(before);
    expect(await world.episodes(own)).toHaveLength(1);
  });

  it('a customer became unprofitable, on two daily evaluations', async () => {
    const own = await organization();
    await connect(own);
    const { account } = world.standIn;
    const customer = addCustomer(account, { metadata: { user_id: 'acme' }, name: 'Acme' });
    const seconds = (iso: string) => Date.parse(iso) / 1000;
    addInvoice(account, {
      customer,
      status: 'paid',
      lines: [{ amount: 3000, start: seconds(daysBefore(45, 0)), end: seconds(daysBefore(-15, 0)) }],
    });
    await world.send(own, [
      cost(daysBefore(44), '1', { user_id: 'acme' }),
      cost(daysBefore(5), '40', { user_id: 'acme' }),
      cost(daysBefore(5), '3', { user_id: 'free' }),
    ]);
    await world.settle();
    await world.evaluate(minutesAfter(0), own);
    const [episode, ...others] = await world.episodes(own);
    expect(others).toEqual([]);
    expect(episode).toMatchObject({
      kind: 'CUSTOMER_UNPROFITABLE',
      groupKey: 'acme',
      groupName: 'Acme',
      sentence: 'Acme cost $40.00 and paid $15.00 in the 30 days to 31 Oct 2026: a margin of −$25.00.',
      path: expect.stringMatching(/^\/customers\/[0-9a-f-]{36}\?from=2026-10-02&to=2026-10-31$/),
    });
    const { window } = await world.ask(own, episode.query.document, episode.query.variables);
    expect(window.margin.endUsers.nodes).toMatchObject([{ cost: '40', revenue: '15', marginAmount: '-25' }]);
    expect(
      (await world.ask(own, '{ alertEpisodes { totalCount } }', {}, ['costs:read'])).alertEpisodes.totalCount,
    ).toBe(0);
    await world.rows(
      `insert into alert_delivery (organization_id, id, channel_id, episode_id, event_type, body, created_at, attempt)
       values ($1, gen_random_uuid(), gen_random_uuid(), $2, 'alert.opened', $3, now(), 0)`,
      [own, episode.id, JSON.stringify({ data: { sentence: episode.sentence, link: `https://x${episode.path}` } })],
    );
    await world.ask(
      own,
      `mutation ($id: ID!) {
        alertEpisodeAcknowledge(input: { id: $id }) { userErrors { message } }
        noteAdd(input: { episodeId: $id, text: "Acme knows, and acme pays" }) { userErrors { message } }
      }`,
      { id: episode.id },
    );
    const erase = `mutation ($pseudonym: String!) {
      alertingEndUserErase(input: { externalId: "acme", pseudonym: $pseudonym }) { erasure { episodes } userErrors { message } }
    }`;
    const pseudonym = `erased-${'0'.repeat(32)}`;
    for (const episodes of [1, 0])
      expect((await world.ask(own, erase, { pseudonym })).alertingEndUserErase).toEqual({
        erasure: { episodes },
        userErrors: [],
      });
    for (const table of ['alert_episode', 'alert_state', 'alert_rule', 'alert_delivery', 'audit_record', 'note'])
      expect(
        await world.rows(
          `select 1 from ${table} as kept where organization_id = $1 and (kept::text ilike '%acme%' or kept::text like $2)`,
          [own, `%${endUserId(own, 'acme')}%`],
        ),
      ).toEqual([]);
    expect(await world.episodes(own)).toMatchObject([
      { groupKey: pseudonym, state: 'OPEN', figures: episode.figures, path: expect.stringContaining('/customers/') },
    ]);
  });
});

it('a day with events that wait to be priced is not evaluated, and this is reported', async () => {
  const own = await organization();
  await world.send(own, [cost(new Date().toISOString(), '1')]);
  await world.evaluate(minutesAfter(0), own);
  expect((await world.ask(own, '{ alertEvaluation { evaluatedAt waitingFor } }')).alertEvaluation).toEqual({
    evaluatedAt: minutesAfter(0).toISOString(),
    waitingFor: '31 Oct 2026 has not been checked yet: 1 event is still being priced',
  });
  await world.settle();
  await world.evaluate(minutesAfter(1), own);
  expect((await world.ask(own, '{ alertEvaluation { waitingFor } }')).alertEvaluation.waitingFor).toBeNull();
});

it('the alert on few credits does not open without a plan, because there is no limit', async () => {
  const own = await organization();
  await world.rule(own, { kind: 'CREDITS_LOW', value: '25' });
  await world.evaluate(minutesAfter(0), own);
  expect(await world.episodes(own)).toEqual([]);
  await world.ask(own, 'mutation { planSet(input: { allotment: 4 }) { userErrors { message } } }');
  await world.send(own, [cost(daysBefore(0, 1), '1'), cost(daysBefore(0, 1), '1'), cost(daysBefore(0, 1), '1')]);
  await world.evaluate(minutesAfter(1), own);
  expect(await world.episodes(own)).toEqual([]);
  await world.send(own, [cost(daysBefore(0, 1), '1')]);
  await world.evaluate(minutesAfter(2), own);
  expect(await world.episodes(own)).toMatchObject([
    { kind: 'CREDITS_LOW', severity: 'CRITICAL', sentence: '0 of 4 event credits are left (0.00%).' },
  ]);
});

it('alerts on an old price catalogue', async () => {
  const own = await organization();
  await world.rule(own, { kind: 'CATALOGUE_OLD' });
  await world.rule(own, { kind: 'CATALOGUE_OLD', value: '36500' });
  await world.evaluate(minutesAfter(0), own);
  await world.evaluate(minutesAfter(1), own);
  expect(await world.episodes(own)).toMatchObject([
    {
      kind: 'CATALOGUE_OLD',
      severity: 'WARNING',
      sentence: expect.stringMatching(/genai-prices .* are \d+ days old\.$/),
      path: '/rates',
    },
  ]);
});

it('alerts on an agreement and a discount that end in 90, 30 and 7 days, until the agreement is renewed', async () => {
  const own = await organization();
  const ruleId = await world.rule(own, { kind: 'AGREEMENT_ENDING' });
  const save = async (more: object) => {
    const { agreementSave } = await world.ask(
      own,
      'mutation ($input: AgreementSaveInput!) { agreementSave(input: $input) { agreement { id } userErrors { message } } }',
      { input: { provider: 'anthropic', name: 'Enterprise', from: '2026-01-01', ...more } },
    );
    expect(agreementSave.userErrors).toEqual([]);
    return agreementSave.agreement.id as string;
  };
  const discounts = [{ percent: '20' }, { percent: '30', until: '2026-11-08' }];
  const id = await save({ until: '2027-01-31', discounts });
  const afterDays = (days: number) => new Date(NOW + days * DAY_MS);
  await world.evaluate(afterDays(0), own);
  expect(await world.episodes(own)).toMatchObject([
    {
      ruleId,
      state: 'OPEN',
      level: 7,
      severity: 'CRITICAL',
      groupName: 'Enterprise (anthropic)',
      sentence:
        'A discount of the agreement Enterprise with anthropic ends on 8 Nov 2026 (UTC). Later calls have the list price.',
      path: '/rates/agreements',
    },
  ]);
  const states = async () =>
    (await world.episodes(own)).map(({ level, state }: { level: number; state: string }) => `${level} ${state}`).sort();
  for (const [days, expected] of [
    [8, ['7 CLOSED', '90 OPEN']],
    [70, ['30 OPEN', '7 CLOSED']],
    [85, ['7 CLOSED', '7 OPEN']],
  ] as const) {
    await world.evaluate(afterDays(days), own);
    expect(await states()).toEqual(expected);
  }
  await save({ id, until: '2028-01-31', discounts });
  await world.evaluate(afterDays(86), own);
  expect(await states()).toEqual(['7 CLOSED', '7 CLOSED']);
});

it('alerts on a credit that expires before it is used up', async () => {
  const own = await organization();
  await world.rule(own, { kind: 'CREDIT_EXPIRING' });
  const { providerCreditSave } = await world.ask(
    own,
    'mutation ($input: ProviderCreditSaveInput!) { providerCreditSave(input: $input) { providerCredit { id } userErrors { message } } }',
    { input: { provider: 'openai', name: 'Startup', amount: '50', from: '2026-10-01', until: '2026-11-21' } },
  );
  expect(providerCreditSave.userErrors).toEqual([]);
  await world.evaluate(minutesAfter(0), own);
  expect(await world.episodes(own)).toMatchObject([
    {
      kind: 'CREDIT_EXPIRING',
      state: 'OPEN',
      level: 30,
      groupName: 'Startup (openai)',
      sentence: expect.stringMatching(/^The credit Startup of openai expires on 21 Nov 2026 \(UTC\): \$50.00 is left/),
      path: '/rates/credits',
    },
  ]);
  await world.ask(own, 'mutation ($id: ID!) { providerCreditRemove(input: { id: $id }) { removedId } }', {
    id: providerCreditSave.providerCredit.id,
  });
  await world.evaluate(minutesAfter(60), own);
  expect(await world.episodes(own)).toMatchObject([{ state: 'CLOSED', closedReason: 'RECOVERED' }]);
});

it('alerts on a commitment that would be missed, until it is removed', async () => {
  const own = await organization();
  await world.rule(own, { kind: 'COMMITMENT_AT_RISK' });
  const terms = { provider: 'openai', name: 'Enterprise', amount: '50', period: 'TERM' };
  const { commitmentSave } = await world.ask(
    own,
    'mutation ($input: CommitmentSaveInput!) { commitmentSave(input: $input) { commitment { id } userErrors { message } } }',
    { input: { ...terms, from: '2026-10-01', until: '2026-11-21' } },
  );
  expect(commitmentSave.userErrors).toEqual([]);
  await world.evaluate(minutesAfter(0), own);
  expect(await world.episodes(own)).toMatchObject([
    {
      kind: 'COMMITMENT_AT_RISK',
      state: 'OPEN',
      level: 30,
      groupName: 'Enterprise (openai)',
      sentence:
        'A period of the commitment Enterprise with openai ends on 21 Nov 2026 (UTC): $50.00 of $50.00 is not spent yet.',
      path: '/rates/commitments',
    },
  ]);
  await world.ask(own, 'mutation ($id: ID!) { commitmentRemove(input: { id: $id }) { removedId } }', {
    id: commitmentSave.commitment.id,
  });
  await world.evaluate(minutesAfter(60), own);
  expect(await world.episodes(own)).toMatchObject([{ state: 'CLOSED', closedReason: 'RECOVERED' }]);
});

it('alerts on a sync that fails for half an hour, until it works again', async () => {
  const own = await organization();
  await connect(own);
  await world.rule(own, { kind: 'SYNC_FAILED' });
  await world.settle();
  await world.evaluate(minutesAfter(0), own);
  world.standIn.keys.delete(STRIPE_KEY);
  await world.settle();
  for (const minute of [1, 16]) await world.evaluate(minutesAfter(minute), own);
  expect(await world.episodes(own)).toEqual([]);
  await world.evaluate(minutesAfter(31), own);
  expect(await world.episodes(own)).toMatchObject([
    {
      kind: 'SYNC_FAILED',
      state: 'OPEN',
      severity: 'CRITICAL',
      sentence: expect.stringMatching(
        /^The payment processor has not been synced since \d+ \w+ \d{4}, \d\d:\d\d UTC: .*key/i,
      ),
    },
  ]);
  world.standIn.keys.set(STRIPE_KEY, []);
  await world.settle();
  await world.evaluate(minutesAfter(32), own);
  expect(await world.episodes(own)).toMatchObject([{ state: 'CLOSED', closedReason: 'RECOVERED' }]);
});

it('alerts on tasks that cost more than a completed one may, failed attempts included, until they cost less', async () => {
  const own = await organization();
  const rule = { kind: 'COST_PER_SUCCESS', value: '0.035', windowDays: 2, filter: { endUser: 'acme' } };
  const ruleId = await world.rule(own, { ...rule, filter: { ...rule.filter, dimensions: [] }, outcome: 'small' });
  await world.rule(own, { ...rule, outcome: 'large' });
  await world.rule(own, { ...rule, outcome: 'never heard of' });
  const attempts = (day: number, name: string, costs: string, results: readonly boolean[]) =>
    results.map((succeeded, index) => {
      const task_id = `${name}-${day}-${index}`;
      const at = daysBefore(day, 10 + index);
      return {
        event: cost(at, costs, { user_id: 'acme', metadata: { task_id } }),
        outcome: { key: task_id, name, task_id, at, succeeded, user_id: 'acme' },
      };
    });
  const send = async (days: ReturnType<typeof attempts>) => {
    await world.send(
      own,
      days.map(({ event }) => event),
    );
    const { outcomesRecord } = await world.ask(
      own,
      'mutation ($outcomes: JSON!) { outcomesRecord(input: { outcomes: $outcomes }) { failed userErrors { message } } }',
      { outcomes: days.map(({ outcome }) => outcome) },
    );
    expect(outcomesRecord).toEqual({ failed: 0, userErrors: [] });
    await world.settle();
  };
  // 4 × $0.02 for 2 completed tasks are $0.04 each; 2 × $0.03 for 2 are $0.03 each.
  await send([
    ...attempts(1, 'small', '0.02', [true, false, true, false]),
    ...attempts(1, 'large', '0.03', [true, true]),
  ]);
  await world.evaluate(minutesAfter(0), own);
  const [episode, ...others] = await world.episodes(own);
  expect(others).toEqual([]);
  expect(episode).toMatchObject({
    ruleId,
    kind: 'COST_PER_SUCCESS',
    groupKey: '',
    groupName: null,
    sentence:
      'Each completed small cost $0.04 in the 2 days to 31 Oct 2026; the limit is $0.035. 2 of 4 attempts were completed, and failed attempts cost $0.04.',
    figures: expect.arrayContaining([{ name: 'cost_per_success', value: '0.04', unit: 'usd_per_success' }]),
    path: `/outcomes?from=2026-10-30&to=2026-10-31&name=small&customer=${endUserId(own, 'acme')}`,
  });
  const { window } = await world.ask(own, episode.query.document, episode.query.variables);
  expect(window.outcomes.total).toMatchObject({ count: 4, succeeded: 2, cost: '0.08', costPerSuccess: '0.04' });
  // With four more completed tasks on the next day, 6 of 8 cost $0.16, which is $0.0267 each.
  await send(attempts(0, 'small', '0.02', [true, true, true, true]));
  await world.evaluate(minutesAfter(24 * 60), own);
  expect(await world.episodes(own)).toMatchObject([{ ruleId, state: 'CLOSED', closedReason: 'RECOVERED' }]);
});

it('alerts when a percentage of an allowance is spent, once per level, without naming a customer', async () => {
  const own = await organization();
  const ruleId = await world.rule(own, { kind: 'ALLOWANCE_USED', levels: [50, 100] });
  const { allowanceSave } = await world.ask(
    own,
    'mutation ($input: AllowanceSaveInput!) { allowanceSave(input: $input) { allowance { id } userErrors { message } } }',
    { input: { subject: 'END_USER', subjectId: 'acme', period: 'PREPAID' } },
  );
  expect(allowanceSave.userErrors).toEqual([]);
  const { id } = allowanceSave.allowance;
  const topUp = (idempotencyKey: string) =>
    world.ask(
      own,
      'mutation ($input: AllowanceTopUpInput!) { allowanceTopUp(input: $input) { userErrors { message } } }',
      {
        input: { allowanceId: id, amount: '10', idempotencyKey },
      },
    );
  const spend = async (amount: string) => {
    await world.send(own, [cost(new Date(Date.now() + 1_000).toISOString(), amount, { user_id: 'acme' })]);
    await world.settle();
  };
  await topUp('one');
  await spend('4.99');
  await world.evaluate(minutesAfter(0), own);
  expect(await world.episodes(own)).toEqual([]);
  await spend('0.01');
  await world.evaluate(minutesAfter(1), own);
  const [episode, ...others] = await world.episodes(own);
  expect(others).toEqual([]);
  expect(episode).toMatchObject({
    ruleId,
    kind: 'ALLOWANCE_USED',
    state: 'OPEN',
    level: 50,
    groupName: 'a customer',
    sentence: '$5.00 of the $10.00 allowance of a customer is spent (50.00%).',
    path: '/allowances',
  });
  expect(JSON.stringify(episode)).not.toContain('acme');
  await spend('5');
  await world.evaluate(minutesAfter(2), own);
  expect(await world.episodes(own)).toMatchObject([{ state: 'OPEN', level: 100, severity: 'CRITICAL' }]);
  await topUp('two');
  await topUp('three');
  await world.evaluate(minutesAfter(3), own);
  expect(await world.episodes(own)).toMatchObject([{ state: 'CLOSED' }]);
});

const saveFixedCost = (own: string, key: string, capacityPerDay: string, until: string | null = null) =>
  world.ask(own, 'mutation ($input: FixedCostSaveInput!) { fixedCostSave(input: $input) { userErrors { message } } }', {
    input: {
      key,
      name: `The ${key}`,
      driver: 'EVENTS',
      capacityPerDay,
      periods: [{ from: daysBefore(1).slice(0, 10), until, amount: '10', per: 'DAY' }],
    },
  });

it('alerts on capacity that is idle, and on capacity that is used up, for each fixed cost', async () => {
  const own = await organization();
  await world.send(own, [cost(daysBefore(1), '1', { user_id: 'acme' }), cost(daysBefore(1, 13), '1')]);
  await world.settle();
  await saveFixedCost(own, 'gpu', '8');
  await saveFixedCost(own, 'ptu', '2');
  const idle = await world.rule(own, { kind: 'IDLE_CAPACITY', windowDays: 1 });
  const full = await world.rule(own, { kind: 'CAPACITY_EXHAUSTED' });
  await world.settle();
  await world.evaluate(minutesAfter(0), own);
  const episodes = await world.episodes(own);
  expect(episodes).toHaveLength(2);
  expect(episodes).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        ruleId: idle,
        groupName: 'The gpu',
        sentence: 'The gpu was 75.00% idle on 31 Oct 2026: $7.50 of $10.00. The limit is 50%.',
        path: '/costs/fixed?from=2026-10-31&to=2026-10-31',
      }),
      expect.objectContaining({
        ruleId: full,
        groupName: 'The ptu',
        sentence: '100.00% of the capacity of The ptu was used on 31 Oct 2026. The limit is 90%.',
      }),
    ]),
  );
});

it('evaluates the capacity of a day once its fixed costs are allocated, and closes the alert when the fixed cost ends', async () => {
  const own = await organization();
  const waitingFor = async () =>
    (await world.ask(own, '{ alertEvaluation { waitingFor } }')).alertEvaluation.waitingFor;
  await world.send(own, [cost(daysBefore(1), '1'), cost(daysBefore(0), '1')]);
  await world.settle();
  await world.rule(own, { kind: 'CAPACITY_EXHAUSTED', name: 'Full' });
  await saveFixedCost(own, 'gpu', '1', daysBefore(0).slice(0, 10));
  await world.evaluate(minutesAfter(0), own);
  expect(await world.episodes(own)).toEqual([]);
  expect(await waitingFor()).toBe('Full: the fixed costs of 31 Oct 2026 have not been allocated yet');
  await world.settle();
  await world.evaluate(minutesAfter(1), own);
  expect(await world.episodes(own)).toMatchObject([{ groupKey: 'gpu', state: 'OPEN' }]);
  expect(await waitingFor()).toBeNull();
  // The fixed cost is paid for one more day, which is allocated after the rule is due.
  await saveFixedCost(own, 'gpu', '1', daysBefore(-1).slice(0, 10));
  await world.evaluate(minutesAfter(24 * 60), own);
  expect(await world.episodes(own)).toMatchObject([{ state: 'OPEN' }]);
  await world.settle();
  await world.evaluate(minutesAfter(24 * 60 + 1), own);
  expect(await waitingFor()).toBeNull();
  expect(await world.episodes(own)).toMatchObject([{ state: 'OPEN' }]);
  await world.evaluate(minutesAfter(48 * 60), own);
  expect(await world.episodes(own)).toMatchObject([{ state: 'CLOSED', closedReason: 'NOT_APPLICABLE' }]);
});

it('alerts on a customer who costs money and never pays', async () => {
  const own = await organization();
  await connect(own);
  await world.rule(own, { kind: 'COST_WITHOUT_REVENUE', floor: '5' });
  await world.send(own, [
    cost(daysBefore(44), '1', { user_id: 'free' }),
    cost(daysBefore(5), '9', { user_id: 'free' }),
    cost(daysBefore(44), '1', { user_id: 'small' }),
    cost(daysBefore(5), '4', { user_id: 'small' }),
    cost(daysBefore(5), '9', { user_id: 'new' }),
  ]);
  await world.settle();
  await world.evaluate(minutesAfter(0), own);
  expect(await world.episodes(own)).toMatchObject([
    { groupKey: 'free', sentence: 'free cost $9.00 and paid nothing in the 30 days to 31 Oct 2026.' },
  ]);
});

it('alerts on a source that stops sending while others send events that wait for a price, until it resumes', async () => {
  const own = await organization();
  await world.rule(own, { kind: 'NO_DATA', groupBy: 'AGENT' });
  const silences = async () => (await world.episodes(own)).filter(({ kind }) => kind === 'NO_DATA');
  const hours = Array.from({ length: 24 * 12 }, (_, hour) => new Date(NOW - 8 * 3_600_000 - hour * 3_600_000));
  await world.send(
    own,
    hours.flatMap((hour) => [
      { ...cost(hour.toISOString(), '0.01'), agent_id: 'gone' },
      { ...cost(hour.toISOString(), '0.01'), agent_id: 'waiting' },
    ]),
  );
  await world.send(own, [
    { model: 'unheard-of-9', agent_id: 'waiting', event_invoked_at: minutesAfter(-30).toISOString() },
  ]);
  await world.settle();
  await world.evaluate(minutesAfter(-6 * 60), own);
  expect(await silences()).toEqual([]);
  await world.evaluate(minutesAfter(0), own);
  expect(await silences()).toMatchObject([
    {
      kind: 'NO_DATA',
      groupName: 'gone',
      state: 'OPEN',
      severity: 'CRITICAL',
      sentence: expect.stringMatching(/^No events from gone for [\d.]+ hours \(usually at most 1 hour apart\)\.$/),
    },
  ]);
  await world.send(own, [{ ...cost(minutesAfter(5).toISOString(), '0.01'), agent_id: 'gone' }]);
  await world.settle();
  await world.evaluate(minutesAfter(20), own);
  expect(await silences()).toMatchObject([{ state: 'CLOSED', closedReason: 'RECOVERED' }]);
});

it('a changed or deleted rule ends its episodes, and a rule that cannot be evaluated reports that', async () => {
  const own = await organization();
  await world.send(own, [cost(daysBefore(0, 2), '9')]);
  await world.settle();
  const input = { kind: 'THRESHOLD', metric: 'COST', value: '5', windowHours: 3 };
  const id = await world.rule(own, input);
  const other = await world.rule(own, { ...input, name: 'By team', groupByDimension: 'no-such-dimension' });
  await world.evaluate(minutesAfter(0), own);
  expect((await world.ask(own, '{ alertEvaluation { waitingFor } }')).alertEvaluation.waitingFor).toMatch(/^By team: /);
  expect(await world.episodes(own)).toMatchObject([{ ruleId: id, state: 'OPEN' }]);
  await world.rule(own, { ...input, id, value: '6' });
  await world.evaluate(minutesAfter(1), own);
  expect(await world.episodes(own)).toMatchObject([
    { state: 'CLOSED', closedReason: 'RULE_CHANGED' },
    { ruleId: id, state: 'OPEN' },
  ]);
  for (const each of [id, other])
    await world.ask(own, 'mutation ($id: ID!) { alertRuleDelete(input: { id: $id }) { userErrors { message } } }', {
      id: each,
    });
  await world.evaluate(minutesAfter(2), own);
  expect((await world.episodes(own)).map(({ closedReason }) => closedReason)).toEqual(['RULE_CHANGED', 'RULE_DELETED']);
  expect(await world.rows('select 1 from alert_state where rule_id = $1', [id])).toEqual([]);
});

it('two concurrent rounds open one episode', async () => {
  const own = await organization();
  await world.rule(own, { kind: 'THRESHOLD', metric: 'EVENTS', value: '0', windowHours: 3 });
  await world.send(own, [cost(daysBefore(0, 2), '9')]);
  await world.settle();
  await Promise.all([
    world.evaluate(minutesAfter(0), own),
    world.evaluate(minutesAfter(0), own),
    world.evaluate(minutesAfter(0), own),
  ]);
  expect(await world.episodes(own)).toHaveLength(1);
});

it('an episode is acknowledged once, and belongs to its organization only', async () => {
  const own = await organization();
  await world.rule(own, { kind: 'THRESHOLD', metric: 'EVENTS', value: '0', windowHours: 3 });
  await world.send(own, [cost(daysBefore(0, 2), '9')]);
  await world.settle();
  await world.evaluate(minutesAfter(0), own);
  const [{ id }] = (await world.episodes(own)) as [{ id: string }];
  const document = `mutation ($id: ID!) {
    alertEpisodeAcknowledge(input: { id: $id }) { alertEpisode { acknowledgedAt } userErrors { code } }
  }`;
  const first = (await world.ask(own, document, { id })).alertEpisodeAcknowledge.alertEpisode.acknowledgedAt;
  expect(first).not.toBeNull();
  expect((await world.ask(own, document, { id })).alertEpisodeAcknowledge.alertEpisode.acknowledgedAt).toBe(first);
  const other = await organization();
  expect((await world.ask(other, document, { id })).alertEpisodeAcknowledge.userErrors).toEqual([
    { code: 'NOT_FOUND' },
  ]);
  expect((await world.ask(other, 'query ($id: ID!) { alertEpisode(id: $id) { id } }', { id })).alertEpisode).toBeNull();
  expect((await world.ask(own, '{ alertingAuditLog { nodes { action } } }')).alertingAuditLog.nodes[0]).toEqual({
    action: 'alert_episode.acknowledged',
  });
});

it('budgets show the amount spent', async () => {
  const own = await organization();
  await world.rule(own, { kind: 'BUDGET', amount: '40', period: 'DAY', name: 'Today' });
  await world.send(own, [cost(new Date().toISOString(), '10')]);
  await world.settle();
  const { budgets } = await world.ask(own, '{ budgets { rule { name } spentPercent forecast passesOn path } }');
  // The current minute is not summed yet.
  expect(budgets).toMatchObject([{ rule: { name: 'Today' }, forecast: null, passesOn: null }]);
  expect([0, 25]).toContain(budgets[0].spentPercent);
});

it('a budget for a missing object reports that, and the other budgets are still evaluated', async () => {
  const own = await organization();
  await world.rule(own, { kind: 'BUDGET', name: 'All', amount: '20', period: 'DAY' });
  await world.rule(own, { kind: 'BUDGET', name: 'Of one', amount: '20', filter: { endUser: 'nobody' } });
  const { budgets } = await world.ask(own, '{ budgets { rule { name } spent spentPercent reason path } }');
  expect(budgets).toMatchObject([
    { rule: { name: 'All' }, spent: '0', spentPercent: 0, reason: null },
    { rule: { name: 'Of one' }, spent: null, spentPercent: null, reason: expect.stringMatching(/nobody/) },
  ]);
});

describe('deliveries', () => {
  const bodies = (own: string) =>
    world.rows<{ eventType: string; body: string; channelId: string }>(
      'select event_type, body, channel_id from alert_delivery where organization_id = $1 order by created_at, id',
      [own],
    );

  it('are written once for each transition and channel, in the transaction of the episode, and not for a muted rule', async () => {
    const own = await organization();
    const channelIds = [randomUUID(), randomUUID()];
    for (const id of channelIds)
      await world.rows(
        `insert into alert_channel (organization_id, id, kind, name, target, created_at, updated_at)
         values ($1, $2, 'EMAIL', 'A channel', 'alerts@example.com', now(), now())`,
        [own, id],
      );
    const input = { kind: 'BUDGET', amount: '10', period: 'DAY', levels: [50, 100], channelIds };
    const id = await world.rule(own, { ...input, name: 'Told' });
    await world.rule(own, { ...input, name: 'Muted', muted: true });
    await world.send(own, [cost(daysBefore(0, 1), '6')]);
    await world.settle();
    await world.evaluate(minutesAfter(0), own);
    await world.evaluate(minutesAfter(1), own);
    expect(await world.episodes(own)).toHaveLength(2);
    expect((await bodies(own)).map(({ channelId }) => channelId).sort()).toEqual(channelIds.toSorted());
    await world.send(own, [cost(daysBefore(0, 1), '6')]);
    await world.settle();
    await world.evaluate(minutesAfter(2), own);
    await world.ask(own, 'mutation ($id: ID!) { alertRuleDelete(input: { id: $id }) { userErrors { message } } }', {
      id,
    });
    await world.evaluate(minutesAfter(3), own);
    const sent = await bodies(own);
    expect(sent).toHaveLength(6);
    expect(new Set(sent.map(({ body }) => JSON.parse(body).data.rule))).toEqual(new Set(['Told']));
  });

  it('arrive at a webhook, signed, with the sentence of the episode and the link to its figures', async () => {
    const own = await organization();
    const receiver = await startWebhookReceiver();
    try {
      const { alertChannelSave } = await world.ask(
        own,
        'mutation ($input: AlertChannelSaveInput!) { alertChannelSave(input: $input) { secret alertChannel { id } } }',
        { input: { kind: 'WEBHOOK', name: 'A webhook', target: receiver.url } },
      );
      const channelIds = [alertChannelSave.alertChannel.id];
      await world.rule(own, { kind: 'THRESHOLD', metric: 'COST', value: '5', windowHours: 3, channelIds });
      await world.send(own, [cost(daysBefore(0, 2), '9')]);
      await world.settle();
      await world.evaluate(minutesAfter(0), own);
      await world.deliver();
      const [episode] = await world.episodes(own);
      const [request] = receiver.requests;
      const { type, data } = new Webhook(alertChannelSave.secret).verify(
        request!.body,
        request!.headers as Record<string, string>,
      ) as any;
      expect(type).toBe('alert.opened');
      expect(data).toMatchObject({ organization_id: own, episode_id: episode.id, sentence: episode.sentence });
      expect(data.link.endsWith(episode.path)).toBe(true);
      const ofEpisode = 'query ($id: ID!) { alertDeliveries(episodeId: $id) { nodes { id state } } }';
      expect((await world.ask(own, ofEpisode, { id: episode.id })).alertDeliveries.nodes).toEqual([
        { id: request?.headers['webhook-id'], state: 'DELIVERED' },
      ]);
    } finally {
      await receiver.close();
    }
  });

  it('are written with the episode or not at all, and the next round finds the episode again', async () => {
    const own = await organization();
    const channelId = randomUUID();
    await world.rows(
      `insert into alert_channel (organization_id, id, kind, name, target, created_at, updated_at)
       values ($1, $2, 'EMAIL', 'A channel', 'alerts@example.com', now(), now())`,
      [own, channelId],
    );
    await world.rule(own, {
      kind: 'THRESHOLD',
      metric: 'EVENTS',
      value: '0',
      windowHours: 3,
      channelIds: [channelId],
    });
    await world.send(own, [cost(daysBefore(0, 2), '9')]);
    await world.settle();
    const asOwner = (text: string) => withClient(world.database.target, (client) => client.query(text));
    await asOwner(`alter table alert_delivery add constraint broken check (organization_id <> '${own}') not valid`);
    await world.evaluate(minutesAfter(0), own);
    expect(await world.episodes(own)).toEqual([]);
    expect((await world.ask(own, '{ alertEvaluation { waitingFor } }')).alertEvaluation.waitingFor).not.toBeNull();
    await asOwner('alter table alert_delivery drop constraint broken');
    await world.evaluate(minutesAfter(1), own);
    expect(await world.episodes(own)).toHaveLength(1);
    expect(await bodies(own)).toHaveLength(1);
  });
});
