import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query } from '#platform/database/sql.ts';
import { aFact } from '../a-fact.ts';
import { startAttribution, type Attribution } from '../attribution-builder.ts';

const WINDOW = 'window(start: "2026-03-01", end: "2026-04-01")';
const DIMENSION = '{ dimension { key label state registeredAt retiredAt } userErrors { message } }';
const register = (key: string, label?: string) =>
  `mutation { dimensionRegister(input: { key: ${JSON.stringify(key)}${label === undefined ? '' : `, label: ${JSON.stringify(label)}`} }) ${DIMENSION} }`;

describe('dimensions', () => {
  let world: Attribution;
  beforeAll(async () => {
    world = await startAttribution();
  });
  afterAll(() => world.close());

  it('are labelled, renamed, retired, and registered again under the same key', async () => {
    const organizationId = randomUUID();
    const { dimensionRegister } = await world.ask<Record<string, { dimension: Record<string, unknown> }>>(
      organizationId,
      register('team'),
    );
    const first = dimensionRegister?.dimension;
    expect(first).toMatchObject({ key: 'team', label: 'team', retiredAt: null });
    expect(await world.ask(organizationId, register('team', 'Team'))).toEqual({
      dimensionRegister: { dimension: { ...first, label: 'Team' }, userErrors: [] },
    });
    await world.settle();
    expect(
      await world.ask(
        organizationId,
        `mutation { dimensionRename(input: { key: "team", label: "Squad" }) { dimension { label state } userErrors { message } } }`,
      ),
    ).toEqual({ dimensionRename: { dimension: { label: 'Squad', state: 'READY' }, userErrors: [] } });
    await world.ask(organizationId, `mutation { dimensionRetire(input: { key: "team" }) ${DIMENSION} }`);
    expect(await world.ask(organizationId, '{ dimensions { key } }')).toEqual({ dimensions: [] });
    expect(await world.ask(organizationId, '{ dimensions(includeRetired: true) { key state } }')).toEqual({
      dimensions: [{ key: 'team', state: 'RETIRED' }],
    });
    for (const mutation of [
      'dimensionRename(input: { key: "team", label: "x" })',
      'dimensionRetire(input: { key: "team" })',
      'dimensionRetire(input: { key: "never" })',
    ]) {
      expect(await world.ask(organizationId, `mutation { change: ${mutation} { userErrors { code } } }`)).toEqual({
        change: { userErrors: [{ code: 'NOT_FOUND' }] },
      });
    }
    await world.ask(organizationId, register('team'));
    await world.settle();
    expect(await world.ask(organizationId, '{ dimensions { key label state } }')).toEqual({
      dimensions: [{ key: 'team', label: 'team', state: 'READY' }],
    });
    expect(await world.ask(randomUUID(), '{ dimensions { key } }')).toEqual({ dimensions: [] });
  });

  it('are changed by mutations whose user errors name the argument', async () => {
    const organizationId = randomUUID();
    const answer = '{ dimension { key label } userErrors { field message code } }';
    const change = async (mutation: string) => world.ask(organizationId, `mutation { change: ${mutation} }`);
    expect(await change(`dimensionRegister(input: { key: "team", label: "Team" }) ${answer}`)).toEqual({
      change: { dimension: { key: 'team', label: 'Team' }, userErrors: [] },
    });
    expect(await change(`dimensionRename(input: { key: "team", label: " " }) ${answer}`)).toMatchObject({
      change: { dimension: null, userErrors: [{ field: ['input', 'label'], code: 'VALIDATION_ERROR' }] },
    });
    expect(await change(`dimensionRename(input: { key: "team", label: "Squad" }) ${answer}`)).toEqual({
      change: { dimension: { key: 'team', label: 'Squad' }, userErrors: [] },
    });
    expect(await change(`dimensionRetire(input: { key: "never" }) ${answer}`)).toEqual({
      change: {
        dimension: null,
        userErrors: [{ field: null, message: 'Unknown dimension', code: 'NOT_FOUND' }],
      },
    });
    expect(
      await change('costPairRegister(input: { keys: ["team"] }) { costPair { keys } userErrors { field code } }'),
    ).toEqual({
      change: { costPair: null, userErrors: [{ field: ['input', 'keys'], code: 'VALIDATION_ERROR' }] },
    });
  });

  it.each([
    ['', 'x'],
    ['k'.repeat(256), 'x'],
    ['a\u0000b', 'x'],
    ['k', ' '],
    ['k', ''],
  ])('cannot be %j labelled %j', async (key, label) => {
    expect(
      await world.ask(
        randomUUID(),
        'mutation ($key: String!, $label: String) { dimensionRegister(input: { key: $key, label: $label }) { dimension { key } userErrors { code } } }',
        { key, label },
      ),
    ).toEqual({ dimensionRegister: { dimension: null, userErrors: [{ code: 'VALIDATION_ERROR' }] } });
  });

  it('are looked up exactly: an unregistered key is unknown, even a mapped one', async () => {
    const organizationId = randomUUID();
    world.feed.publish(organizationId, [aFact({ dimensions: { agent_id: 'a', team: 'red' } })]);
    await world.settle();
    await world.ask(organizationId, register('team'));
    for (const field of [
      'costsByDimension(key: "Team") { totalCost }',
      'costsByDimension(key: "agent_id") { totalCost }',
      'trend(dimensionKey: "agent_id") { granularity }',
      `trend(endUserId: "${randomUUID()}") { granularity }`,
    ]) {
      await expect(world.ask(organizationId, `{ ${WINDOW} { ${field} } }`)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
    for (const field of [
      'trend(endUserId: "ann") { granularity }',
      'costsByAttribution(key: "", first: 1) { totalCost }',
      'dimensionValues(key: "")',
      'costsByAttribution(key: "a", first: 0) { totalCost }',
      'costsByAttribution(key: "a", first: 1001) { totalCost }',
      'costsByAttribution(key: "a", filterKey: "b") { totalCost }',
    ]) {
      await expect(world.ask(organizationId, `{ ${WINDOW} { ${field} } }`)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    }
    await world.ask(organizationId, register('agent_id'));
    expect(await world.ask(organizationId, '{ dimensions { key state } }')).toEqual({
      dimensions: [
        { key: 'agent_id', state: 'READY' },
        { key: 'team', state: 'BACKFILLING' },
      ],
    });
    await world.ask(
      organizationId,
      `mutation { dimensionRetire(input: { key: "agent_id" }) { dimension { key } userErrors { message } } }`,
    );
    await world.settle();
    expect(
      await world.ask(
        organizationId,
        `{ ${WINDOW} { dimensionValues(key: "agent_id") costsByAttribution(key: "agent_id") { totalGroups } } }`,
      ),
    ).toEqual({ window: { dimensionValues: ['a'], costsByAttribution: { totalGroups: 1 } } });
  });

  it('are at most fifty in use, even if several are registered at the same time', async () => {
    const organizationId = randomUUID();
    await world.database.system((tx) =>
      query(
        tx,
        `insert into dimension (organization_id, key, label, registered_at)
         select $1, 'key-' || n, 'Key', now() from generate_series(1, 49) as n`,
        [organizationId],
      ),
    );
    type Answer = Record<'dimensionRegister', { readonly userErrors: readonly { readonly message: string }[] }>;
    const registered = async (...keys: string[]) =>
      (await Promise.all(keys.map((key) => world.ask<Answer>(organizationId, register(key)))))
        .map(({ dimensionRegister }) => dimensionRegister.userErrors.map(({ message }) => message).join())
        .toSorted();
    const refused = 'An organization can have at most 50 dimensions in use: retire one first';
    expect(await registered('one', 'other', 'another')).toEqual(['', refused, refused]);
    expect(await registered('key-1')).toEqual(['']);
    await world.ask(organizationId, `mutation { dimensionRetire(input: { key: "key-1" }) ${DIMENSION} }`);
    expect(await registered('one more')).toEqual(['']);
  });

  it('are suggested by the metadata of events, the most frequent key first', async () => {
    const organizationId = randomUUID();
    const first = aFact({
      dimensions: { team: 'red', plan: 'pro', agent_id: 'triage', user_id: 'ada', 'pricing.tier': 'batch' },
    });
    world.feed.publish(organizationId, [
      first,
      aFact({ dimensions: { team: 'blue', plan: 'pro', former: 'x' } }),
      aFact({ dimensions: { team: 'blue' } }),
      // A correction is not an event.
      aFact({ eventId: first.eventId, sequence: 1, dimensions: { team: 'green' } }),
    ]);
    await world.settle();
    for (const key of ['plan', 'former']) await world.ask(organizationId, register(key));
    await world.ask(organizationId, `mutation { dimensionRetire(input: { key: "former" }) ${DIMENSION} }`);
    expect(await world.ask(organizationId, '{ unregisteredKeys { key events distinctValues exampleValue } }')).toEqual({
      unregisteredKeys: [
        { key: 'team', events: 3, distinctValues: 2, exampleValue: 'red' },
        { key: 'former', events: 1, distinctValues: 1, exampleValue: 'x' },
      ],
    });
  });

  it('refuse invalid windows', async () => {
    for (const [start, end] of [
      ['2026-03-01', '2026-03-01'],
      ['2026-03-02', '2026-03-01'],
      ['yesterday', '2026-03-01'],
      ['1900-01-01', '2026-01-01'],
    ]) {
      await expect(
        world.ask(
          randomUUID(),
          'query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) { costsByModel { totalCost } } }',
          { start, end },
        ),
      ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
  });
});
