import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { query } from '#platform/database/sql.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

const FIGURES = `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
  costsByModel { totalCost items { totalCost eventCount } }
  costs(groupBy: [END_USER]) { nodes { values { value } totalCost } }
  costsByDimension(key: "team") { items { dimensionValue totalCost eventCount } } } }`;

describe('reduced facts', () => {
  let world: Attribution;
  const organizationId = randomUUID();
  beforeEach(async () => {
    world = await startAttribution();
  });
  afterEach(() => world.close());

  const figures = (start: string, end: string) => world.ask<object>(organizationId, FIGURES, { start, end });

  it('name the pseudonym, keep what is rolled up, and change no figure', async () => {
    await world.ask(
      organizationId,
      'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }',
    );
    // The key was rolled up once, and no longer is.
    await world.ask(
      organizationId,
      'mutation { dimensionRegister(input: { key: "mail" }) { userErrors { message } } }',
    );
    await world.ask(organizationId, 'mutation { dimensionRetire(input: { key: "mail" }) { userErrors { message } } }');
    const own = ['2026-03-10T10:30:00Z', '2026-03-11T10:30:00Z', '2026-04-01T00:00:00Z'].map((eventTime) =>
      aFact({
        eventTime,
        endUserExternalId: 'ada',
        sessionId: 'ada-session',
        dimensions: { team: 'blue', mail: 'ada@example.com' },
      }),
    );
    const correction = { ...own[0]!, sequence: 1, totalCost: '-0.1', inputTokens: 0, outputTokens: 0 };
    const others = [aFact({ endUserExternalId: 'bob', dimensions: { team: 'red' } }), aFact()];
    world.feed.publish(organizationId, [...own, correction, ...others]);
    await world.settle();
    const windows = [
      ['2026-03-01', '2026-05-01'],
      ['2026-03-10T10:15:00Z', '2026-03-11T10:45:00Z'],
      ['2026-03-11', '2026-04-02'],
    ] as const;
    const before = await Promise.all(windows.map(([start, end]) => figures(start, end)));

    const taken = (fact: (typeof own)[number]) => ({
      ...fact,
      endUserExternalId: 'erased-1',
      sessionId: null,
      dimensions: {},
      isReduced: true as const,
    });
    const replaces = endUserId(organizationId, 'ada');
    const seen = [{ externalId: 'erased-1', firstSeenAt: own[0]!.eventTime, replaces }];
    world.feed.publish(organizationId, [taken(own[0]!), taken(correction)], seen);
    await world.settle();
    const half = await figures('2026-03-01', '2026-05-01');
    expect(JSON.stringify(half)).toContain('"ada"');
    world.feed.publish(organizationId, [taken(own[1]!), taken(own[2]!)], seen);
    world.feed.publish(organizationId, [taken(own[1]!)], seen);
    await world.settle();

    const after = await Promise.all(windows.map(([start, end]) => figures(start, end)));
    expect(JSON.parse(JSON.stringify(after).replaceAll('"erased-1"', '"ada"'))).toEqual(before);
    const stored = await world.database.system((tx) =>
      query<{ text: string }>(
        tx,
        `select row_to_json(t)::text as text from cost_fact t union all select row_to_json(t)::text from end_user t
         union all select row_to_json(t)::text from end_user_day t where end_user_id = $1
         union all select row_to_json(t)::text from end_user_month t where end_user_id = $1`,
        [replaces],
      ),
    );
    const text = stored.map((row) => row.text).join('\n');
    expect(text).not.toMatch(/"ada"|ada@|ada-session/);
    expect(text).not.toContain(replaces);
    expect(text.match(/"team":\s*"blue"/g)).toHaveLength(4);
    const { verifyAttribution } = await world.ask<{ verifyAttribution: { differences: string[] }[] }>(
      organizationId,
      '{ verifyAttribution { differences } }',
    );
    expect(verifyAttribution.flatMap(({ differences }) => differences)).toEqual([]);
  });

  it('keep a dimension while it is being rolled up', async () => {
    const organization = randomUUID();
    await world.ask(organization, 'mutation { dimensionRegister(input: { key: "team" }) { userErrors { message } } }');
    const fact = aFact({ endUserExternalId: 'ada', dimensions: { team: 'blue', mail: 'ada@example.com' } });
    world.feed.publish(organization, [fact]);
    await world.settle();
    const run = <Row>(text: string) => world.database.system((tx) => query<Row>(tx, text, [organization]));
    await run("update rolled_key set state = 'backfilling' where organization_id = $1 and key = 'team'");
    world.feed.publish(organization, [{ ...fact, dimensions: {}, isReduced: true }]);
    await world.follow();
    expect(await run('select dimensions from cost_fact where organization_id = $1')).toEqual([
      { dimensions: { team: 'blue' } },
    ]);
  });

  it('have their latest version even if it arrives first, and keep it if the first version is redelivered', async () => {
    const fact = aFact({ endUserExternalId: 'ada' });
    await world.ask(
      organizationId,
      'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }',
    );
    world.feed.publish(organizationId, [{ ...fact, endUserExternalId: 'erased-1', isReduced: true }]);
    world.feed.publish(organizationId, [{ ...fact, endUserExternalId: 'erased-1' }]);
    await world.settle();
    expect(JSON.stringify(await figures('2026-03-01', '2026-05-01'))).toContain('erased-1');
  });
});
