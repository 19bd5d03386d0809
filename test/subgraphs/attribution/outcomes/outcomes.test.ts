import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { requireInstant } from '#kernel/time/instant.ts';
import { query, queryOne } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { lateCostSequence } from '#schema/priced-feed.ts';
import { eraseAttributionEndUser } from '../../../../subgraphs/attribution/outcome-costs/erase-attribution-end-user.operation.ts';
import { checkSize } from '../../../../subgraphs/attribution/outcome-costs/outcome-limits.query.ts';
import {
  readOutcomeCosts,
  readOutcomeGroups,
} from '../../../../subgraphs/attribution/outcome-costs/outcome-rows.query.ts';
import { parseOutcomeSelection } from '../../../../subgraphs/attribution/outcome-costs/outcome-selection.ts';
import { recordOutcomes } from '../../../../subgraphs/attribution/outcomes/record-outcomes.operation.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

let world: Attribution;
beforeAll(async () => {
  world = await startAttribution();
});
afterAll(() => world.close());

const at = (minute: number) => `2026-03-10T10:${String(minute).padStart(2, '0')}:00.000Z`;
const MARCH = 'start: "2026-03-01", end: "2026-04-01"';
const FIGURES =
  'count succeeded failed cost eventCount costPerAttempt costPerSuccess failedCost failedCostPercent value valueLessCost otherValues { currency value }';
const RECORD = `mutation ($outcomes: JSON!) { outcomesRecord(input: { outcomes: $outcomes }) {
  accepted failed results { index status key effect error message } userErrors { message code } } }`;

interface Recorded {
  outcomesRecord: {
    accepted: number;
    failed: number;
    results: { status: string; effect: string; error: string; message: string }[];
    userErrors: object[];
  };
}
const record = async (organizationId: string, outcomes: unknown) =>
  (await world.ask<Recorded>(organizationId, RECORD, { outcomes })).outcomesRecord;
interface Groups {
  nodes: { value: string; figures: Record<string, unknown> }[];
  total: Record<string, unknown>;
  costWithoutOutcome: string;
  totalCount: number;
}
const groups = async (organizationId: string, args = 'groupBy: NAME', window = MARCH): Promise<Groups> =>
  (
    await world.ask<{ window: { outcomes: Groups } }>(
      organizationId,
      `{ window(${window}) { outcomes(${args}) { nodes { value figures { ${FIGURES} } } total { ${FIGURES} } costWithoutOutcome totalCount } } }`,
    )
  ).window.outcomes;
const ofTask = (task: string, minute: number, totalCost: string, more: object = {}) =>
  aFact({ eventTime: at(minute), totalCost, dimensions: { task_id: task }, ...more });
const attempt = (key: string, task: string, minute: number, succeeded: boolean, more: object = {}) => ({
  key,
  name: 'ticket_resolved',
  task_id: task,
  at: at(minute),
  succeeded,
  ...more,
});

describe('cost per completed task', () => {
  it('is higher for attempts at $0.02 of which half succeed than for attempts at $0.03 that all succeed', async () => {
    const organizationId = randomUUID();
    const cheap = [1, 2, 3, 4].map((minute) => ofTask('cheap', minute, '0.02', { modelSlug: 'small' }));
    const dear = [1, 2].map((minute) => ofTask('dear', minute, '0.03', { modelSlug: 'large' }));
    world.feed.publish(organizationId, [...cheap, ...dear, aFact({ eventTime: at(5), totalCost: '1' })]);
    await world.settle();
    const recorded = await record(organizationId, [
      ...[1, 2, 3, 4].map((minute) => attempt(`c${minute}`, 'cheap', minute, minute % 2 === 0, { name: 'cheap' })),
      ...[1, 2].map((minute) =>
        attempt(`d${minute}`, 'dear', minute, true, { name: 'dear', value: '0.05', agent_id: 'a' }),
      ),
    ]);
    expect(recorded).toMatchObject({ accepted: 6, failed: 0, userErrors: [] });
    const byName = await groups(organizationId);
    expect(byName.nodes).toEqual([
      {
        value: 'cheap',
        figures: {
          count: 4,
          succeeded: 2,
          failed: 2,
          cost: '0.08',
          eventCount: 4,
          costPerAttempt: '0.02',
          costPerSuccess: '0.04',
          failedCost: '0.04',
          failedCostPercent: 50,
          value: null,
          valueLessCost: null,
          otherValues: [],
        },
      },
      {
        value: 'dear',
        figures: {
          count: 2,
          succeeded: 2,
          failed: 0,
          cost: '0.06',
          eventCount: 2,
          costPerAttempt: '0.03',
          costPerSuccess: '0.03',
          failedCost: '0',
          failedCostPercent: 0,
          value: '0.1',
          valueLessCost: '0.04',
          otherValues: [],
        },
      },
    ]);
    expect(byName).toMatchObject({ total: { count: 6, cost: '0.14', value: '0.1' }, costWithoutOutcome: '1' });
    expect((await groups(organizationId, 'groupBy: MODEL')).nodes).toMatchObject([
      { value: 'small', figures: { count: 4, costPerSuccess: '0.04' } },
      { value: 'large', figures: { count: 2, costPerSuccess: '0.03' } },
    ]);
    expect((await groups(organizationId, 'groupBy: AGENT')).nodes.map(({ value }) => value)).toEqual([
      'Unassigned',
      'a',
    ]);
    expect(await groups(organizationId, 'groupBy: NAME, filter: { names: ["dear"] }')).toMatchObject({
      nodes: [{ value: 'dear' }],
      total: { count: 2, cost: '0.06' },
      costWithoutOutcome: '1',
    });
    const { window } = await world.ask<{ window: { outcomeTrend: object[] } }>(
      organizationId,
      `{ window(start: "2026-03-10", end: "2026-03-12") { outcomeTrend(granularity: DAY) { start figures { count costPerSuccess } } } }`,
    );
    expect(window.outcomeTrend).toEqual([
      { start: '2026-03-10T00:00:00.000Z', figures: { count: 6, costPerSuccess: '0.035' } },
      { start: '2026-03-11T00:00:00.000Z', figures: { count: 0, costPerSuccess: null } },
    ]);
  });

  it('counts values of completed tasks only, and lists other currencies', async () => {
    const organizationId = randomUUID();
    await record(organizationId, [
      attempt('one', 't', 1, false, { value: 5 }),
      attempt('two', 't', 2, true, { value: '1.10', currency: 'USD' }),
      attempt('three', 't', 3, true, { value: '2', currency: 'EUR' }),
      attempt('four', 't', 4, true, { value: '0.5', currency: 'EUR' }),
    ]);
    expect((await groups(organizationId)).total).toMatchObject({
      count: 4,
      value: '1.1',
      valueLessCost: '1.1',
      otherValues: [{ currency: 'EUR', value: '2.5' }],
    });
  });
});

describe('events of an outcome', () => {
  it('belong to its task, or otherwise its session, and lie between the previous outcome and this one', async () => {
    const organizationId = randomUUID();
    world.feed.publish(organizationId, [
      ofTask('t', 1, '1'),
      ofTask('t', 2, '2', { sessionId: 's' }),
      ofTask('t', 3, '4', { sessionId: 's' }),
      ofTask('t', 9, '8', { sessionId: 's' }),
      aFact({ eventTime: at(3), totalCost: '16', sessionId: 's', endUserExternalId: 'ann' }),
      aFact({ eventTime: at(20), totalCost: '32', sessionId: 's' }),
    ]);
    await world.settle();
    await record(organizationId, [
      attempt('first', 't', 2, false, { session_id: 's' }),
      attempt('second', 't', 3, true),
      { key: 'visit', name: 'visit', session_id: 's', succeeded: true, at: at(10) },
    ]);
    const one = async (key: string) =>
      (
        await world.ask<{ outcome: object }>(
          organizationId,
          `{ outcome(key: "${key}") { cost eventCount taskCost sessions attempts { key succeeded cost } } }`,
        )
      ).outcome;
    expect(await one('second')).toEqual({
      cost: '4',
      eventCount: 1,
      taskCost: '7',
      sessions: ['s'],
      attempts: [
        { key: 'first', succeeded: false, cost: '3' },
        { key: 'second', succeeded: true, cost: '4' },
      ],
    });
    // An event after the last outcome of its task belongs to an outcome of its session.
    expect(await one('visit')).toMatchObject({ cost: '24', taskCost: '24' });
    expect(await groups(organizationId)).toMatchObject({
      nodes: [{ value: 'visit' }, { value: 'ticket_resolved' }],
      total: { cost: '31', costPerSuccess: '15.5' },
      costWithoutOutcome: '32',
    });
    expect((await groups(organizationId, 'groupBy: END_USER')).nodes).toMatchObject([
      { value: 'ann', figures: { count: 1, cost: '16' } },
      { value: 'Unassigned', figures: { count: 3, cost: '15' } },
    ]);
    // A late event moves to the outcome of its time, and so do events when an outcome arrives late.
    world.feed.publish(organizationId, [ofTask('t', 2, '64')]);
    await world.settle();
    await record(organizationId, [attempt('zeroth', 't', 1, false)]);
    expect(await one('second')).toMatchObject({
      taskCost: '71',
      attempts: [
        { key: 'zeroth', cost: '1' },
        { key: 'first', cost: '66' },
        { key: 'second', cost: '4' },
      ],
    });
  });

  it('stay with it when they are repriced or booked late, and windows add up', async () => {
    const organizationId = randomUUID();
    const early = ofTask('t', 1, '1', { eventTime: '2026-02-28T23:59:00.000Z' });
    const late = ofTask('t', 1, '0', { eventTime: '2026-02-28T23:58:00.000Z', charges: [] });
    world.feed.publish(organizationId, [
      early,
      { ...early, sequence: 1, totalCost: '0.5', inputTokens: 0, outputTokens: 0, charges: [['input', '0', '0.5']] },
      late,
      {
        ...late,
        sequence: lateCostSequence(0),
        eventTime: '2026-03-05T00:00:00.000Z',
        totalCost: '3',
        inputTokens: 0,
        outputTokens: 0,
        charges: [['input', '100', '3']],
      },
    ]);
    await world.settle();
    await record(organizationId, [attempt('done', 't', 0, true, { at: '2026-03-01T00:00:01Z' })]);
    const february = await groups(organizationId, 'groupBy: MODEL', 'start: "2026-02-01", end: "2026-03-01"');
    expect(february.nodes).toMatchObject([{ value: 'gpt-5', figures: { count: 0, cost: '1.5', eventCount: 2 } }]);
    const march = await groups(organizationId, 'groupBy: MODEL');
    expect(march.nodes).toMatchObject([{ value: 'gpt-5', figures: { count: 1, cost: '3', eventCount: 0 } }]);
    const whole = await groups(organizationId, 'groupBy: NAME', 'start: "2026-02-01", end: "2026-04-01"');
    expect(whole).toMatchObject({ total: { count: 1, cost: '4.5', costPerSuccess: '4.5' }, costWithoutOutcome: '0' });
    const { outcome } = await world.ask<{ outcome: object }>(organizationId, '{ outcome(key: "done") { cost } }');
    expect(outcome).toEqual({ cost: '4.5' });
  });
});

describe('a reported outcome', () => {
  it('counts once: a resend changes nothing, a correction replaces, and asOf sees the earlier statement', async () => {
    const organizationId = randomUUID();
    const first = attempt('k', 't', 5, true, { value: '2', metadata: { plan: 'pro', seats: 3 } });
    expect((await record(organizationId, [first])).results).toMatchObject([{ status: 'ACCEPTED', effect: 'NEW' }]);
    const until = new Date().toISOString();
    expect((await record(organizationId, [first, first])).results).toMatchObject([
      { effect: 'NONE', message: 'Received before; nothing changed' },
      { effect: 'NONE' },
    ]);
    const corrected = { ...first, succeeded: false, stated_at: '2099-01-01T00:00:00Z' };
    expect((await record(organizationId, [corrected])).results).toMatchObject([{ effect: 'CORRECTION' }]);
    const older = { ...first, name: 'old', stated_at: '2026-03-01T00:00:00Z' };
    expect((await record(organizationId, [older, first])).results).toMatchObject([
      { effect: 'SUPERSEDED' },
      { effect: 'NONE' },
    ]);
    const read = async (args: string) =>
      (
        await world.ask<{ outcome: Record<string, unknown> }>(
          organizationId,
          `{ outcome(key: "k"${args}) { name succeeded value currency metadata versions { name succeeded } } }`,
        )
      ).outcome;
    expect(await read('')).toEqual({
      name: 'ticket_resolved',
      succeeded: false,
      value: '2',
      currency: 'USD',
      metadata: { plan: 'pro', seats: '3' },
      versions: [
        { name: 'ticket_resolved', succeeded: false },
        { name: 'ticket_resolved', succeeded: true },
        { name: 'old', succeeded: true },
      ],
    });
    expect(await read(`, asOf: "${until}"`)).toMatchObject({ succeeded: true, versions: [{ succeeded: true }] });
    await expect(read(', asOf: "2020-01-01"')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await groups(organizationId)).total).toMatchObject({ count: 1, succeeded: 0, failed: 1, value: null });
  });

  it('counts in the window that begins at its time, and not in the one that ends at it', async () => {
    const organizationId = randomUUID();
    await record(organizationId, [attempt('k', 't', 5, true)]);
    const counted = async (start: number, end: number) => {
      const { window } = await world.ask<{
        window: {
          outcomes: { total: { count: number } };
          outcomeTrend: { figures: { count: number } }[];
          outcomeRecords: { totalCount: number };
        };
      }>(
        organizationId,
        `{ window(start: "${at(start)}", end: "${at(end)}") { outcomes(groupBy: NAME) { total { count } }
          outcomeTrend(granularity: DAY) { figures { count } } outcomeRecords { totalCount } } }`,
      );
      const { outcomes, outcomeTrend, outcomeRecords } = window;
      return [outcomes.total.count, ...outcomeTrend.map(({ figures }) => figures.count), outcomeRecords.totalCount];
    };
    expect(await counted(4, 5)).toEqual([0, 0, 0]);
    expect(await counted(5, 6)).toEqual([1, 1, 1]);
  });

  it('is listed by name, end user, agent and success, and by all of them together', async () => {
    const organizationId = randomUUID();
    await record(organizationId, [
      attempt('a', 't', 1, true, { user_id: 'ann', agent_id: 'bot' }),
      attempt('b', 't', 2, false, { user_id: 'ann', agent_id: 'other' }),
      attempt('c', 't', 3, true, { user_id: 'bob', agent_id: 'bot', name: 'sold' }),
      attempt('d', 't', 4, false),
    ]);
    const listed = async (filter: string) => {
      const { window } = await world.ask<{
        window: { outcomeRecords: { nodes: { key: string }[]; totalCount: number } };
      }>(organizationId, `{ window(${MARCH}) { outcomeRecords(filter: { ${filter} }) { nodes { key } totalCount } } }`);
      const { nodes, totalCount } = window.outcomeRecords;
      return `${nodes.map(({ key }) => key).join('')} ${totalCount}`;
    };
    const asked = [
      '',
      'names: ["sold"]',
      'endUser: "ann"',
      'agent: "bot"',
      'succeeded: false',
      'endUser: "ann", agent: "bot"',
    ];
    expect(await Promise.all(asked.map(listed))).toEqual(['dcba 4', 'c 1', 'ba 2', 'ca 2', 'db 2', 'a 1']);
  });

  it('counts in its latest version even if that is dated in the future, because a wrong clock may not decide', async () => {
    const organizationId = randomUUID();
    // The result does not depend on the digests: with eight keys, both orders of digests occur.
    const keys = Array.from({ length: 8 }, (_, index) => `k${index}`);
    const ahead = { stated_at: '2099-01-01T00:00:00Z' };
    const { results } = await record(
      organizationId,
      keys.flatMap((key) => [attempt(key, 't', 1, false, ahead), attempt(key, 't', 1, true, ahead)]),
    );
    expect(results.map(({ effect }) => effect)).toEqual(keys.flatMap(() => ['NEW', 'CORRECTION']));
    expect((await groups(organizationId)).total).toMatchObject({ count: 8, succeeded: 8 });
    const again = await record(
      organizationId,
      keys.map((key) => attempt(key, 't', 1, false, { stated_at: '2098-01-01T00:00:00Z' })),
    );
    expect(again.results.map(({ effect }) => effect)).toEqual(keys.map(() => 'CORRECTION'));
    expect((await groups(organizationId)).total).toMatchObject({ count: 8, succeeded: 0 });
    expect(await differences(organizationId)).toEqual([]);
  });

  it('is rejected item by item, with a reason', async () => {
    const organizationId = randomUUID();
    const good = attempt('k', 't', 5, true);
    const wrong: [unknown, RegExp][] = [
      ['text', /must be a JSON object/],
      [{ ...good, key: undefined }, /key is required/],
      [{ ...good, key: 'x'.repeat(256) }, /key must be a string of 1 to 255 characters/],
      [{ ...good, name: 'a\0b' }, /name must not contain a NUL character/],
      [{ ...good, succeeded: 'yes' }, /succeeded must be true or false/],
      [{ ...good, at: '2026-03-10' }, /at must be an RFC 3339 date-time/],
      [{ ...good, value: '-1' }, /value must be a number or a decimal string/],
      [{ ...good, currency: 'EUR' }, /currency can only be sent with value/],
      [{ ...good, value: '1', currency: 'euro' }, /currency must be an ISO 4217 code/],
      [{ ...good, metadata: { a: {} } }, /metadata must contain only texts/],
      [{ ...good, session: 's' }, /has no member "session": use key, name/],
    ];
    const { accepted, failed, results } = await record(organizationId, [...wrong.map(([item]) => item), good]);
    expect({ accepted, failed }).toEqual({ accepted: 1, failed: wrong.length });
    results.slice(0, -1).forEach(({ status, error, message }, index) => {
      expect({ status, error }).toEqual({ status: 'REJECTED', error: 'VALIDATION_ERROR' });
      expect(message).toMatch(wrong[index]![1]);
    });
    for (const batch of [[], Array.from({ length: 101 }, () => good), {}])
      expect((await record(organizationId, batch)).userErrors).toMatchObject([{ code: 'VALIDATION_ERROR' }]);
    const [alone] = (await record(organizationId, [{ ...good, key: 'alone', task_id: null }])).results;
    expect(alone!.message).toMatch(/neither a task nor a session/);
  });

  it('a reported outcome of a test key is returned only to those who ask for outcomes of test keys', async () => {
    const organizationId = randomUUID();
    const context = world.context(organizationId);
    await recordOutcomes({ ...context, principal: { ...context.principal, environment: 'test' } }, [
      attempt('test', 't', 5, true),
    ]);
    expect((await groups(organizationId)).total).toMatchObject({ count: 0 });
    await record(organizationId, [attempt('live', 't', 6, true)]);
    expect((await groups(organizationId)).total).toMatchObject({ count: 1 });
    await expect(world.ask(organizationId, '{ outcome(key: "test") { key } }')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await world.ask(organizationId, '{ outcome(key: "live") { attempts { key } } }')).toEqual({
      outcome: { attempts: [{ key: 'live' }] },
    });
    expect(
      await world.ask(organizationId, '{ outcome(key: "test", livemode: false) { key livemode attempts { key } } }'),
    ).toEqual({ outcome: { key: 'test', livemode: false, attempts: [{ key: 'test' }] } });
  });

  it('a reported outcome of a test key does not make the same outcome of a live key a resend', async () => {
    const organizationId = randomUUID();
    const context = world.context(organizationId);
    const same = attempt('k', 't', 5, true);
    await recordOutcomes({ ...context, principal: { ...context.principal, environment: 'test' } }, [same]);
    expect((await record(organizationId, [same])).results).toMatchObject([{ effect: 'NEW' }]);
    expect((await groups(organizationId)).total).toMatchObject({ count: 1 });
  });

  it('belongs to one organization', async () => {
    const [mine, other] = [randomUUID(), randomUUID()];
    await record(mine, [attempt('k', 't', 5, true)]);
    expect((await groups(other)).total).toMatchObject({ count: 0 });
    await expect(world.ask(other, '{ outcome(key: "k") { key } }')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('an erasure', () => {
  it('keeps the figures, whether the outcome or only its events name the end user', async () => {
    const organizationId = randomUUID();
    const facts = [
      ofTask('t-ann', 1, '1', { endUserExternalId: 'ann', sessionId: 's-ann' }),
      ofTask('t-ann', 2, '2', { endUserExternalId: 'ann', sessionId: 's-ann' }),
      aFact({ eventTime: at(3), totalCost: '4', sessionId: 's-only', endUserExternalId: 'ann' }),
      aFact({ eventTime: at(3), totalCost: '8', sessionId: 's-only', endUserExternalId: 'bob' }),
      aFact({ eventTime: at(4), totalCost: '16', endUserExternalId: 'ann', sessionId: 'no-outcome' }),
    ];
    world.feed.publish(organizationId, facts);
    await world.settle();
    await record(organizationId, [
      attempt('a1', 't-ann', 1, false, { user_id: 'ann', metadata: { mail: 'ann@example.com' } }),
      attempt('a2', 't-ann', 2, true, { user_id: 'ann', session_id: 's-ann', value: '9' }),
      { key: 'visit', name: 'visit', session_id: 's-only', succeeded: true, at: at(10) },
    ]);
    const read = async () => ({
      byName: await groups(organizationId),
      a2: await world.ask(
        organizationId,
        '{ outcome(key: "a2") { cost eventCount taskCost attempts { key cost } } visit: outcome(key: "visit") { cost } }',
      ),
    });
    const before = await read();
    expect(before.byName).toMatchObject({ total: { cost: '15' }, costWithoutOutcome: '16' });
    const pseudonym = `erased-${'0'.repeat(32)}`;
    const erase = () =>
      world.ask<{ attributionEndUserErase: object }>(
        organizationId,
        `mutation { attributionEndUserErase(input: { externalId: "ann", pseudonym: "${pseudonym}" }) { erasure { outcomes } userErrors { message } } }`,
      );
    expect(await erase()).toEqual({ attributionEndUserErase: { erasure: { outcomes: 3 }, userErrors: [] } });
    expect(await read()).toEqual(before);
    const replaces = endUserId(organizationId, 'ann');
    const reduced = facts
      .filter(({ endUserExternalId }) => endUserExternalId === 'ann')
      .map((fact) => ({
        ...fact,
        endUserExternalId: pseudonym,
        sessionId: null,
        dimensions: {},
        isReduced: true as const,
      }));
    world.feed.publish(organizationId, reduced, [
      { externalId: pseudonym, firstSeenAt: facts[0]!.eventTime, replaces },
    ]);
    await world.settle();
    expect(await read()).toEqual(before);
    expect(await erase()).toEqual({ attributionEndUserErase: { erasure: { outcomes: 0 }, userErrors: [] } });
    const stored = await world.database.system((tx) =>
      query<{ text: string }>(
        tx,
        `select row_to_json(t)::text as text from outcome t where organization_id = $1
         union all select row_to_json(t)::text from outcome_version t where organization_id = $1
         union all select row_to_json(t)::text from outcome_event t where organization_id = $1`,
        [organizationId],
      ),
    );
    expect(stored.map(({ text }) => text).join('\n')).not.toMatch(/"ann"|ann@|t-ann|s-ann|s-only/);
    expect(await differences(organizationId)).toEqual([]);
  });
});

describe('metadata beyond its retention', () => {
  it('is removed from old outcomes and their versions, except kept keys; figures and resends stay', async () => {
    const [organizationId, other] = [randomUUID(), randomUUID()];
    const metadata = { mail: 'ann@example.com', plan: 'pro' };
    const old = attempt('old', 't-1', 1, true, { value: '9', metadata });
    for (const organization of [organizationId, other])
      world.feed.publish(organization, [ofTask('t-1', 1, '1'), ofTask('t-2', 2, '2')]);
    await world.settle();
    const corrected = attempt('corrected', 't-2', 2, true, { metadata: { ...metadata, note: 'private' } });
    await record(organizationId, [
      old,
      attempt('corrected', 't-2', 2, false, { metadata }),
      attempt('bare', 't-3', 3, true),
    ]);
    await record(organizationId, [corrected]);
    await record(other, [old]);
    const stored = async (organization = organizationId) =>
      (
        await world.database.system((tx) =>
          query<{ text: string }>(
            tx,
            `select concat_ws(' ', key, 'outcome', metadata) as text from outcome where organization_id = $1
             union all select concat_ws(' ', key, version, metadata) from outcome_version where organization_id = $1 order by 1`,
            [organization],
          ),
        )
      ).map(({ text }) => text);
    const before = await groups(organizationId);
    const all = await stored();
    const drop = async () => {
      while ((await world.step('drop-outcome-metadata')) === 'more');
    };
    await drop();
    expect(await stored()).toEqual(all);
    world.feed.retain(organizationId, 2, ['plan']);
    await drop();
    expect(await stored()).toEqual(all);
    // The correction is younger than two months.
    await world.database.system((tx) =>
      query(tx, 'update outcome_version set recorded_at = $2 where version = 1 and organization_id = any($1)', [
        [organizationId, other],
        new Date(Date.now() - 63 * DAY_MS),
      ]),
    );
    await drop();
    const kept = '{"plan": "pro"}';
    const whole = '{"mail": "ann@example.com", "note": "private", "plan": "pro"}';
    expect(await stored()).toEqual([
      'bare 1 {}',
      'bare outcome {}',
      `corrected 1 ${kept}`,
      `corrected 2 ${whole}`,
      `corrected outcome ${whole}`,
      `old 1 ${kept}`,
      `old outcome ${kept}`,
    ]);
    expect(await stored(other)).toHaveLength(2);
    expect((await stored(other)).join()).toContain('ann@');
    expect(await groups(organizationId)).toEqual(before);
    // A resend is still known by its content.
    expect((await record(organizationId, [old])).results).toMatchObject([{ effect: 'NONE' }]);
    expect((await stored()).join()).not.toContain('old 1 {"mail"');
    expect(await differences(organizationId)).toEqual([]);
    world.feed.retain(organizationId, 2, []);
    await drop();
    expect((await stored()).filter((text) => text.includes('pro'))).toEqual([
      `corrected 2 ${whole}`,
      `corrected outcome ${whole}`,
    ]);
  });
});

it('metadata of a statement is removed after the chosen number of calendar months', async () => {
  const organizationId = randomUUID();
  await record(
    organizationId,
    ['younger', 'older'].map((key) => attempt(key, 't', 1, true, { metadata: { mail: key } })),
  );
  await world.database.system((tx) =>
    query(
      tx,
      `update outcome_version set recorded_at = now() - interval '7 months' + interval '1 hour' * case key when 'older' then -1 else 1 end
       where organization_id = $1`,
      [organizationId],
    ),
  );
  world.feed.retain(organizationId, 7, []);
  while ((await world.step('drop-outcome-metadata')) === 'more');
  expect(
    await world.database.system((tx) =>
      query(tx, "select key, metadata ->> 'mail' as mail from outcome where organization_id = $1 order by key", [
        organizationId,
      ]),
    ),
  ).toEqual([
    { key: 'older', mail: null },
    { key: 'younger', mail: 'younger' },
  ]);
});

it('a batch may contain as many new outcomes as the rate limit allows; invalid ones count', async () => {
  const organizationId = randomUUID();
  const context = world.context(organizationId);
  const [one, two, three] = ['one', 'two', 'three'].map((key) => attempt(key, 't', 1, true));
  const invalid = { key: 'invalid' };
  const recorded = async (items: readonly unknown[], newMax: number) =>
    (await recordOutcomes(context, items, newMax)).accepted;
  await expect(recorded([one, two, invalid], 2)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  expect(await recorded([one, invalid], 2)).toBe(1);
  await expect(recorded([one, two, three], 1)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  expect(await recorded([one, two, three], 2)).toBe(3);
  expect(await recorded([one, two, three], 0)).toBe(3);
});

describe('an erasure of one end user', () => {
  const pseudonym = `erased-${'0'.repeat(32)}`;

  it('leaves statements about another end user under the same key alone', async () => {
    const organizationId = randomUUID();
    const of = (user: string, minute: number, task: string) =>
      attempt('shared', task, minute, true, { user_id: user, metadata: { plan: user } });
    await record(organizationId, [of('ann', 1, 'task-of-ann')]);
    await record(organizationId, [of('bob', 2, 'task-of-bob')]);
    await eraseAttributionEndUser(world.context(organizationId), { externalId: 'ann', pseudonym });
    const stored = await world.database.system((tx) =>
      query<{ endUser: string; task: string; plan: string | null }>(
        tx,
        `select end_user, task, metadata ->> 'plan' as plan from outcome_version where organization_id = $1 order by version`,
        [organizationId],
      ),
    );
    expect(stored).toEqual([
      { endUser: pseudonym, task: expect.stringMatching(/^erased-/), plan: null },
      { endUser: 'bob', task: 'task-of-bob', plan: 'bob' },
    ]);
  });

  it('replaces names that only look as if they had been replaced', async () => {
    const organizationId = randomUUID();
    await record(organizationId, [
      attempt('one', 'erased-ann@example.com', 1, true, { user_id: 'ann' }),
      { key: 'two', name: 'visit', session_id: 'erased-by-ann', succeeded: true, at: at(2), user_id: 'ann' },
    ]);
    const read = async () => {
      const { one, two } = await world.ask<{ one: { task: string }; two: { session: string } }>(
        organizationId,
        '{ one: outcome(key: "one") { task } two: outcome(key: "two") { session } }',
      );
      return [one.task, two.session];
    };
    await eraseAttributionEndUser(world.context(organizationId), { externalId: 'ann', pseudonym });
    const erased = await read();
    for (const name of erased) expect(name).toMatch(/^erased-[0-9a-f]{8}-[0-9a-f-]{27}$/);
    await eraseAttributionEndUser(world.context(organizationId), { externalId: 'ann', pseudonym });
    expect(await read()).toEqual(erased);
  });

  it('may exceed the usual time limit of a statement', async () => {
    const organizationId = randomUUID();
    const context = world.context(organizationId);
    const limits: string[] = [];
    const watched = withWrites(context, async (tx) => {
      limits.push(
        (await queryOne<{ limit: string }>(tx, `select current_setting('statement_timeout') as "limit"`)).limit,
      );
    });
    await eraseAttributionEndUser(watched, { externalId: 'ann', pseudonym });
    expect(limits).toEqual(['0']);
  });
});

type Work = Parameters<SubgraphContext['database']['write']>[1];

/** Calls `then` after the writes of each transaction, before it is committed. */
function withWrites(context: SubgraphContext, then: (tx: Parameters<Work>[0]) => Promise<void>): SubgraphContext {
  const database = Object.create(context.database) as SubgraphContext['database'];
  Object.assign(database, {
    write: (organizationId: string, work: Work) =>
      context.database.write(organizationId, async (tx) => {
        const result = await work(tx);
        await then(tx);
        return result;
      }),
  });
  return { ...context, database };
}

const WAITS_FOR_OUTCOMES = `select 1 from pg_locks
  where locktype = 'advisory' and not granted and classid = 727109 and objid = hashtext($1)::oid`;

describe('an outcome that is being recorded', () => {
  it('owns its events even if their session is removed before it is committed', async () => {
    const organizationId = randomUUID();
    const fact = aFact({ eventTime: at(1), totalCost: '2', sessionId: 's' });
    world.feed.publish(organizationId, [fact]);
    await world.settle();
    let following: Promise<void> | undefined;
    let isFollowed = false;
    const context = withWrites(world.context(organizationId), async (tx) => {
      world.feed.publish(organizationId, [{ ...fact, sessionId: null, isReduced: true }]);
      following = world.follow().then(() => void (isFollowed = true));
      const waits = async () => (await query(tx, WAITS_FOR_OUTCOMES, [organizationId])).length > 0;
      await vi.waitFor(async () => expect(isFollowed || (await waits())).toBe(true), { timeout: 20_000 });
    });
    await recordOutcomes(context, [{ key: 'k', name: 'visit', session_id: 's', succeeded: true, at: at(2) }]);
    await following;
    expect(await groups(organizationId)).toMatchObject({ total: { count: 1, cost: '2' }, costWithoutOutcome: '0' });
    expect(await differences(organizationId)).toEqual([]);
  });
});

describe('a read of outcomes', () => {
  it('is refused if it would look up too many events or outcomes', async () => {
    const organizationId = randomUUID();
    world.feed.publish(organizationId, [
      ...[1, 2, 3].map((minute) => ofTask('t', minute, '1', { eventTime: `2026-02-27T00:0${minute}:00.000Z` })),
      aFact({ eventTime: at(1), sessionId: 's' }),
      aFact({ eventTime: '2026-02-27T00:00:00.000Z', sessionId: 'of a test key' }),
    ]);
    await world.settle();
    const context = world.context(organizationId);
    // An outcome of a test key neither counts nor looks up events.
    await recordOutcomes({ ...context, principal: { ...context.principal, environment: 'test' } }, [
      { key: 'one', name: 'visit', session_id: 'of a test key', succeeded: true, at: at(7) },
    ]);
    await record(organizationId, [
      attempt('one', 't', 5, false),
      attempt('two', 't', 6, true),
      { key: 'three', name: 'visit', session_id: 's', succeeded: true, at: at(7) },
    ]);
    const window = {
      start: requireInstant('start', '2026-03-01T00:00:00Z'),
      end: requireInstant('end', '2026-04-01T00:00:00Z'),
    };
    const check = (groupBy: 'NAME' | 'AGENT', limits: object) =>
      world.database.snapshot(organizationId, (tx) =>
        checkSize(tx, { organizationId, window, selection: parseOutcomeSelection({ groupBy }) }, limits),
      );
    const costs = (eventsMax: number) =>
      world.database.snapshot(organizationId, (tx) =>
        readOutcomeCosts(tx, organizationId, ['one', 'two', 'three'], eventsMax),
      );
    const refused = (message: RegExp) => ({
      code: 'UNPROCESSABLE_ENTITY',
      message: expect.stringMatching(message) as string,
    });
    await expect(check('NAME', { eventsMax: 0 })).rejects.toMatchObject(refused(/This window has 1 events/));
    await expect(check('NAME', { outcomesMax: 2 })).rejects.toMatchObject(refused(/has more than 2 outcomes/));
    await expect(check('AGENT', { eventsMax: 3 })).rejects.toMatchObject(refused(/have more than 3 events/));
    await check('NAME', { eventsMax: 3, outcomesMax: 3 });
    await check('AGENT', { eventsMax: 4, outcomesMax: 3 });
    await expect(costs(3)).rejects.toMatchObject(refused(/have more than 3 events/));
    expect([...(await costs(4)).values()].map(({ key, cost }) => [key, Number(cost)]).sort()).toEqual([
      ['one', 3],
      ['three', 0.5],
    ]);
  });
});

describe('a read of new outcomes', () => {
  it('looks up only the events of each outcome, even before PostgreSQL has statistics', async () => {
    const organizationId = randomUUID();
    const sessions = Array.from({ length: 200 }, (_, index) => `s${index}`);
    world.feed.publish(
      organizationId,
      sessions.flatMap((sessionId) =>
        [1, 2, 3].map((minute) => aFact({ eventTime: at(minute), sessionId, endUserExternalId: sessionId })),
      ),
    );
    await world.settle();
    for (let from = 0; from < sessions.length; from += 100)
      await record(
        organizationId,
        sessions
          .slice(from, from + 100)
          .map((session) => ({ key: session, name: 'visit', session_id: session, succeeded: true, at: at(9) })),
      );
    const window = { start: requireInstant('start', at(0)), end: requireInstant('end', at(10)) };
    const plans = await world.database.snapshot(organizationId, async (tx) => {
      const explaining = {
        send: (text: string, values: unknown[]) => tx.send(`explain (analyze, format json) ${text}`, values),
      } as unknown as Transaction;
      const found: unknown[] = [];
      for (const groupBy of ['NAME', 'AGENT', 'END_USER', 'MODEL'] as const) {
        const input = { organizationId, window, selection: parseOutcomeSelection({ groupBy }) };
        found.push(await readOutcomeGroups(explaining, input, { limit: 10, offset: 0 }));
      }
      return found;
    });
    const removed = [...JSON.stringify(plans).matchAll(/"Rows Removed by Join Filter":(\d+)/g)].map(([, rows]) =>
      Number(rows),
    );
    expect(removed.filter((rows) => rows > 600)).toEqual([]);
  });
});

const differences = async (organizationId: string) =>
  (
    await world.ask<{ verifyAttribution: { check: string; differences: string[] }[] }>(
      organizationId,
      '{ verifyAttribution { check differences } }',
    )
  ).verifyAttribution.flatMap(({ check, differences: found }) => found.map((one) => `${check}: ${one}`));

describe('verification', () => {
  it('finds a lost outcome, a lost version, a changed value and a lost kept event', async () => {
    const organizationId = randomUUID();
    const fact = ofTask('t', 1, '1');
    world.feed.publish(organizationId, [fact]);
    await world.settle();
    const batch = [
      attempt('lost', 't', 1, true),
      attempt('version', 't', 2, true, { stated_at: at(1) }),
      attempt('version', 't', 2, false, { stated_at: at(2) }),
      attempt('value', 't', 3, true, { value: '1' }),
    ];
    await record(organizationId, batch);
    world.feed.publish(organizationId, [{ ...fact, dimensions: {}, isReduced: true }]);
    await world.settle();
    expect(await groups(organizationId)).toMatchObject({ total: { cost: '1' } });
    expect(await differences(organizationId)).toEqual([]);
    const harm = (sql: string) => world.database.system((tx) => query(tx, sql, [organizationId]));
    await harm(`delete from outcome_version where organization_id = $1 and key = 'version' and version = 1`);
    expect(await differences(organizationId)).toEqual(['outcomes = their newest versions: version']);
    await harm(`update outcome set value = 2 where organization_id = $1 and key = 'value'`);
    await harm(`delete from outcome_event where organization_id = $1`);
    expect(await differences(organizationId)).toEqual([
      'outcomes = their newest versions: value',
      'outcomes = their newest versions: version',
      'events kept for outcomes: lost',
    ]);
    await harm(`delete from outcome where organization_id = $1 and key = 'lost'`);
    expect(await differences(organizationId)).toContain('outcomes = their newest versions: lost');
  });
});
