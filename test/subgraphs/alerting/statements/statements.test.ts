/** Weekly and monthly statements over a whole service. */
import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '#platform/config.ts';
import { createLog } from '#platform/log.ts';
import { sendStatements } from '../../../../subgraphs/alerting/statements/send-statements.job.ts';
import { advanceSchedule } from '../../../../subgraphs/alerting/statements/statement-schedule.table.ts';
import { type ReceivedRequest, startWebhookReceiver } from '../../../support/webhook-receiver.ts';
import { type Alerting, startAlerting } from '../alerting-builder.ts';

let world: Alerting;
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
beforeAll(async () => {
  world = await startAlerting();
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await receiver.close();
  await world.close();
});

const DAY_MS = 86_400_000;
/** Monday of the week before this one; 1970-01-05 was a Monday. */
const LAST_MONDAY = Math.floor((Date.now() - 4 * DAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS - 3 * DAY_MS;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

const SET = `mutation ($input: StatementScheduleSetInput!) {
  statementScheduleSet(input: $input) { statementSchedule { period channelIds nextPeriodStart nextAt } userErrors { message code } }
}`;
const SCHEDULES = '{ statementSchedules { period channelIds nextPeriodStart } }';

async function channelOf(own: string, path: string): Promise<{ id: string; secret: string }> {
  const { alertChannelSave } = await world.ask(
    own,
    'mutation ($input: AlertChannelSaveInput!) { alertChannelSave(input: $input) { secret alertChannel { id } } }',
    { input: { kind: 'WEBHOOK', name: path, target: `${receiver.url}/${path}` } },
  );
  return { id: alertChannelSave.alertChannel.id, secret: alertChannelSave.secret };
}

const requestsTo = (path: string): ReceivedRequest[] =>
  receiver.requests.filter((request) => request.path === `/${path}`);

/** As if the schedule had been set in the week before, and that week had ended six hours ago. */
const endWeek = (own: string) =>
  world.rows(
    `update statement_schedule set period_start = $2, due_at = now() - interval '1 second'
      where organization_id = $1 and period = 'WEEK'`,
    [own, new Date(LAST_MONDAY).toISOString()],
  );

it('a week is sent once, with figures that add up, to the chosen channels only', async () => {
  const own = randomUUID();
  const [channel] = [await channelOf(own, 'chosen'), await channelOf(own, 'other')];
  const { statementScheduleSet } = await world.ask(own, SET, { input: { period: 'WEEK', channelIds: [channel.id] } });
  expect(statementScheduleSet).toEqual({
    statementSchedule: {
      period: 'WEEK',
      channelIds: [channel.id],
      nextPeriodStart: `${dayOf(LAST_MONDAY + 7 * DAY_MS)}T00:00:00.000Z`,
      nextAt: `${dayOf(LAST_MONDAY + 14 * DAY_MS)}T06:00:00.000Z`,
    },
    userErrors: [],
  });
  const at = (time: number) => ({ event_invoked_at: new Date(time).toISOString() });
  await world.send(own, [
    { ...at(LAST_MONDAY), cost_override: '2', user_id: 'u1' },
    { ...at(LAST_MONDAY + 7 * DAY_MS - 1), cost_override: '0.5', user_id: 'u1' },
    { ...at(LAST_MONDAY - 1), cost_override: '1', user_id: 'u1' },
    { ...at(LAST_MONDAY + 7 * DAY_MS), cost_override: '64', user_id: 'u1' },
    { ...at(LAST_MONDAY + DAY_MS), model: 'unheard-of-9', user_id: 'u1' },
  ]);
  await world.settle();
  expect(requestsTo('chosen')).toEqual([]);

  await endWeek(own);
  await world.settle();
  await world.deliver();
  const [request, ...others] = requestsTo('chosen');
  expect(others).toEqual([]);
  expect(requestsTo('other')).toEqual([]);
  const { type, data } = new Webhook(channel.secret).verify(
    request!.body,
    request!.headers as Record<string, string>,
  ) as any;
  expect(type).toBe('statement.ready');
  expect(data).toMatchObject({ organization_id: own, episode_id: null, rule_id: null, kind: null });
  expect(data.rule).toMatch(/^Statement for \d+ \w+ \d{4} to \d+ \w+ \d{4}$/);
  expect(data.sentence).toBe(
    'Revenue $0.00 − cost $2.50 = margin −$2.50. The cost was $1.50 higher than in the week before. 1 customer lost money: −$2.50 in total. 1 event has no price and counts as $0.',
  );
  expect(data.link).toContain(`/books/closing/statement?week=${dayOf(LAST_MONDAY)}`);
  expect((await world.ask(own, SCHEDULES)).statementSchedules).toMatchObject([
    { nextPeriodStart: `${dayOf(LAST_MONDAY + 7 * DAY_MS)}T00:00:00.000Z` },
  ]);

  // A process that died after reading the figures is followed by another one: the message has the same id.
  await endWeek(own);
  await world.settle();
  await world.deliver();
  expect(requestsTo('chosen')).toHaveLength(1);
});

it('a change of channels does not skip a statement that is due', async () => {
  const own = randomUUID();
  const [first, second] = [await channelOf(own, 'early'), await channelOf(own, 'late')];
  await world.ask(own, SET, { input: { period: 'WEEK', channelIds: [first.id] } });
  await endWeek(own);
  const { statementScheduleSet } = await world.ask(own, SET, { input: { period: 'WEEK', channelIds: [second.id] } });
  expect(statementScheduleSet.statementSchedule).toMatchObject({
    nextPeriodStart: `${dayOf(LAST_MONDAY)}T00:00:00.000Z`,
  });
  await world.settle();
  await world.deliver();
  expect([requestsTo('early').length, requestsTo('late').length]).toEqual([0, 1]);
});

it('a month is compared with the whole month before it, and sent beside a week that began on the same day', async () => {
  const own = randomUUID();
  const { id } = await channelOf(own, 'monthly');
  for (const period of ['WEEK', 'MONTH']) await world.ask(own, SET, { input: { period, channelIds: [id] } });
  const [year, month] = [new Date().getUTCFullYear(), new Date().getUTCMonth()];
  const start = new Date(Date.UTC(year, month - 1, 1));
  const at = (time: number) => ({ event_invoked_at: new Date(time).toISOString(), user_id: 'u1' });
  await world.send(own, [
    { ...at(Date.UTC(year, month - 2, 1)), cost_override: '1' },
    { ...at(Date.UTC(year, month - 2, 1) - 1), cost_override: '64' },
    { ...at(start.getTime()), cost_override: '3' },
  ]);
  await world.rows(
    "update statement_schedule set period_start = $2, due_at = now() - interval '1 second' where organization_id = $1",
    [own, start],
  );
  await world.settle();
  await world.deliver();
  const sent = requestsTo('monthly').map(({ body }) => JSON.parse(body).data);
  expect(sent.filter(({ link }) => link.includes(`week=${dayOf(start.getTime())}`))).toHaveLength(1);
  expect(sent.find(({ sentence }) => sentence.includes('month')).sentence).toContain(
    'cost $3.00 = margin −$3.00. The cost was $2.00 higher than in the month before.',
  );
});

it('two processes advance a schedule once, so that no period is skipped', async () => {
  const own = randomUUID();
  const { id } = await channelOf(own, 'once');
  await world.ask(own, SET, { input: { period: 'WEEK', channelIds: [id] } });
  const due = { organizationId: own, period: 'WEEK' as const, periodStart: new Date(LAST_MONDAY + 7 * DAY_MS) };
  const next = { start: new Date(LAST_MONDAY + 14 * DAY_MS), dueAt: new Date(LAST_MONDAY + 22 * DAY_MS) };
  const advance = () => world.database.system((tx) => advanceSchedule(tx, due, next));
  expect([await advance(), await advance()]).toEqual([[id], null]);
});

it('a statement whose figures cannot be read is tried again after a delay, not at once', async () => {
  const own = randomUUID();
  const { id } = await channelOf(own, 'later');
  await world.ask(own, SET, { input: { period: 'WEEK', channelIds: [id] } });
  await world.rows('update statement_schedule set due_at = now() where organization_id = $1', [own]);
  const unavailable = {
    authenticate: () => Promise.resolve(null),
    execute: () => Promise.reject(new Error('The graph cannot be reached')),
    close: () => Promise.resolve(),
  };
  const job = sendStatements({
    database: world.database,
    gateway: unavailable,
    log: createLog('silent'),
    config: readConfig({}),
  });
  expect([await job.step(), await job.step()]).toEqual(['more', 'idle']);
  expect(
    await world.rows('select due_at > now() as waits from statement_schedule where organization_id = $1', [own]),
  ).toEqual([{ waits: true }]);
});

it('a deleted channel is removed from its schedules, and a schedule without channels ends', async () => {
  const own = randomUUID();
  const [first, second] = [await channelOf(own, 'first'), await channelOf(own, 'second')];
  for (const period of ['MONTH', 'WEEK'])
    await world.ask(own, SET, { input: { period, channelIds: [first.id, second.id] } });
  await world.ask(own, 'mutation ($id: ID!) { alertChannelDelete(input: { id: $id }) { userErrors { message } } }', {
    id: first.id,
  });
  const ended = await world.ask(own, SET, { input: { period: 'WEEK', channelIds: [] } });
  expect(ended.statementScheduleSet).toEqual({ statementSchedule: null, userErrors: [] });
  expect((await world.ask(own, SCHEDULES)).statementSchedules).toMatchObject([
    { period: 'MONTH', channelIds: [second.id] },
  ]);
  const unknown = await world.ask(own, SET, { input: { period: 'MONTH', channelIds: [first.id] } });
  expect(unknown.statementScheduleSet.userErrors).toMatchObject([
    { message: 'channelIds contains an unknown channel', code: 'NOT_FOUND' },
  ]);
});
