/** Invariants of random histories of events, outcomes, corrections, erasures, resends and crashes. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { money, plain, sum } from '#kernel/money.ts';
import type { CostFact } from '#schema/priced-feed.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { recordOutcomes } from '../../../../subgraphs/attribution/outcomes/record-outcomes.operation.ts';
import { runs } from '../../../support/property-runs.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

let world: Attribution;
beforeAll(async () => {
  world = await startAttribution();
});
afterAll(() => world.close());

const DAY = Date.UTC(2026, 2, 10);
const instant = (minute: number) => new Date(DAY + minute * 60_000).toISOString();
const minute = fc.integer({ min: 0, max: 40 });
const cost = fc.integer({ min: 0, max: 999_999 }).map((units) => `0.${String(units).padStart(15, '0')}`);
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null, freq: 2 });

interface Event {
  readonly minute: number;
  readonly task: string | null;
  readonly session: string | null;
  readonly person: string | null;
  readonly costs: readonly string[];
}
const event: fc.Arbitrary<Event> = fc.record({
  minute,
  task: orNull(fc.constantFrom('t1', 't2')),
  session: orNull(fc.constantFrom('s1', 's2')),
  person: orNull(fc.constantFrom('ann', 'bob')),
  // A second cost is a correction.
  costs: fc.array(cost, { minLength: 1, maxLength: 2 }),
});

interface Statement {
  readonly key: string;
  readonly name: string;
  readonly minute: number;
  readonly succeeded: boolean;
  readonly task: string | null;
  readonly session: string | null;
  readonly person: string | null;
  readonly value: string | null;
  readonly stated: number;
}
const statements: fc.Arbitrary<Statement[]> = fc.uniqueArray(
  fc.record({
    key: fc.constantFrom('k1', 'k2', 'k3', 'k4'),
    name: fc.constantFrom('resolved', 'answered'),
    minute,
    succeeded: fc.boolean(),
    task: orNull(fc.constantFrom('t1', 't2')),
    session: orNull(fc.constantFrom('s1', 's2')),
    person: orNull(fc.constantFrom('ann', 'bob')),
    value: orNull(cost),
    stated: fc.integer({ min: 0, max: 1000 }),
  }),
  { maxLength: 8, selector: ({ key, stated }) => `${key} ${stated}` },
);

const sent = ({ key, name, minute: at, succeeded, task, session, person, value, stated }: Statement) => ({
  key,
  name,
  at: instant(at),
  succeeded,
  task_id: task,
  session_id: session,
  user_id: person,
  value,
  stated_at: instant(-2000 + stated),
});

/** The owner according to the text of the rule, one event at a time. */
function ownerOf(one: Event, current: readonly Statement[]): Statement | undefined {
  const first = (of: Statement[]) =>
    of
      .filter((outcome) => outcome.minute >= one.minute)
      .sort((a, b) => a.minute - b.minute || (a.key < b.key ? -1 : 1))[0];
  return (
    first(current.filter(({ task }) => one.task !== null && task === one.task)) ??
    first(current.filter(({ task, session }) => task === null && one.session !== null && session === one.session))
  );
}

function expected(events: readonly Event[], all: readonly Statement[]) {
  const current = [...Map.groupBy(all, ({ key }) => key).values()].map(
    (versions) => versions.toSorted((one, other) => other.stated - one.stated)[0]!,
  );
  const costOf = (of: readonly Event[]) => plain(sum(of.flatMap(({ costs }) => costs.map(money))));
  const owners = events.map((one) => ownerOf(one, current));
  const ownedBy = (isIts: (outcome: Statement | undefined) => boolean) =>
    events.filter((_, index) => isIts(owners[index]));
  const names = [...new Set(current.map(({ name }) => name))].sort();
  return {
    groups: names.map((name) => {
      const mine = current.filter((outcome) => outcome.name === name);
      const values = mine.flatMap(({ succeeded, value }) => (succeeded && value !== null ? [money(value)] : []));
      return {
        value: name,
        count: mine.length,
        succeeded: mine.filter(({ succeeded }) => succeeded).length,
        cost: costOf(ownedBy((outcome) => outcome?.name === name)),
        failedCost: costOf(ownedBy((outcome) => outcome?.name === name && !outcome.succeeded)),
        worth: values.length === 0 ? null : plain(sum(values)),
      };
    }),
    costWithoutOutcome: costOf(ownedBy((outcome) => outcome === undefined)),
    cost: costOf(events),
  };
}

interface Read {
  window: {
    costs: { totalCost: string };
    outcomes: {
      nodes: { value: string; figures: { worth: string | null } & Record<string, unknown> }[];
      total: { cost: string };
      costWithoutOutcome: string;
    };
  };
}
async function read(organizationId: string, window = 'start: "2026-03-10", end: "2026-03-11"', by = 'NAME') {
  const { costs, outcomes } = (
    await world.ask<Read>(
      organizationId,
      `{ window(${window}) { costs { totalCost } outcomes(groupBy: ${by}) {
        nodes { value figures { count succeeded cost failedCost worth: value } } total { cost } costWithoutOutcome } } }`,
    )
  ).window;
  const parts = [...outcomes.nodes.map(({ figures }) => String(figures['cost'])), outcomes.costWithoutOutcome];
  expect(plain(sum(parts.map(money)))).toBe(costs.totalCost);
  return {
    groups: outcomes.nodes
      .map(({ value, figures }) => ({ value, ...figures }))
      .sort((one, other) => (one.value < other.value ? -1 : 1)),
    costWithoutOutcome: outcomes.costWithoutOutcome,
    cost: costs.totalCost,
  };
}

/** Fails after the writes and before the commit, as if the process had died. */
function dying(context: SubgraphContext): SubgraphContext {
  const database = Object.create(context.database) as typeof context.database;
  Object.assign(database, {
    write: (organizationId: string, work: (tx: never) => Promise<unknown>) =>
      context.database.write(organizationId, async (tx) => {
        await work(tx as never);
        throw new Error('died');
      }),
  });
  return { ...context, database };
}

const factsOf = (events: readonly Event[]): CostFact[] =>
  events.flatMap(({ minute: at, task, session, person, costs }) => {
    const eventId = randomUUID();
    return costs.map((totalCost, sequence) =>
      aFact({
        eventId,
        sequence,
        totalCost,
        charges: [['input', sequence === 0 ? '100' : '0', totalCost]],
        ...(sequence === 0 ? {} : { inputTokens: 0, outputTokens: 0 }),
        eventTime: instant(at),
        endUserExternalId: person,
        sessionId: session,
        dimensions: task === null ? {} : { task_id: task },
      }),
    );
  });

it('the costs of outcomes add up to the cost of the window, in any order of arrival, after resends, crashes and an erasure', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 15 }),
      statements,
      fc.infiniteStream(fc.nat()),
      fc.constantFrom('ann', 'bob'),
      async (events, all, numbers, erased) => {
        const organizationId = randomUUID();
        const context = world.context(organizationId);
        const below = (count: number) => numbers.next().value % count;
        // Facts and statements arrive in any order, some more than once, some with a crash before.
        const arrivals = [
          ...factsOf(events).map((fact) => ({ fact })),
          ...all.flatMap((statement) => (below(3) === 0 ? [{ statement }, { statement }] : [{ statement }])),
        ]
          .map((arrival) => ({ arrival, order: below(1000) }))
          .sort((one, other) => one.order - other.order)
          .map(({ arrival }) => arrival);
        const published: CostFact[] = [];
        for (const arrival of arrivals) {
          if ('fact' in arrival) {
            published.push(arrival.fact);
            world.feed.publish(organizationId, [arrival.fact]);
            if (below(4) === 0) await world.follow();
          } else {
            if (below(3) === 0)
              await expect(recordOutcomes(dying(context), [sent(arrival.statement)])).rejects.toThrow('died');
            await recordOutcomes(context, [sent(arrival.statement)]);
          }
        }
        await world.follow();
        const model = expected(events, all);
        expect(await read(organizationId)).toEqual(model);
        // Adjacent windows add up.
        const halves = await Promise.all(
          ['start: "2026-03-10", end: "2026-03-10T00:20:00Z"', 'start: "2026-03-10T00:20:00Z", end: "2026-03-11"'].map(
            (window) => read(organizationId, window),
          ),
        );
        expect(plain(sum(halves.map(({ costWithoutOutcome }) => money(costWithoutOutcome))))).toBe(
          model.costWithoutOutcome,
        );
        for (const by of ['AGENT', 'END_USER', 'MODEL']) await read(organizationId, undefined, by);

        const pseudonym = `erased-${'0'.repeat(32)}`;
        await world.ask(
          organizationId,
          `mutation { attributionEndUserErase(input: { externalId: "${erased}", pseudonym: "${pseudonym}" }) { userErrors { message } } }`,
        );
        expect(await read(organizationId)).toEqual(model);
        const reduced = published
          .filter(({ endUserExternalId }) => endUserExternalId === erased)
          .map((fact) => ({
            ...fact,
            endUserExternalId: pseudonym,
            sessionId: null,
            dimensions: {},
            isReduced: true as const,
          }));
        if (reduced.length > 0) world.feed.publish(organizationId, reduced);
        await world.follow();
        expect(await read(organizationId)).toEqual(model);
        const { verifyAttribution } = await world.ask<{
          verifyAttribution: { check: string; differences: string[] }[];
        }>(organizationId, '{ verifyAttribution(part: REST) { check differences } }');
        expect(verifyAttribution.filter(({ differences }) => differences.length > 0)).toEqual([]);
      },
    ),
    runs(12, { nightly: 300 }),
  );
});
