import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectEnvelope } from '../../support/envelope.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const PATH = '/dimension-data/cost-breakdown';
const RANGE = 'start_date=2026-03-01&end_date=2026-03-02';
const event = (cost: string, metadata: object) =>
  usageEvent({
    event_invoked_at: '2026-03-01T10:00:00Z',
    cost_override: cost,
    input_tokens: 10,
    output_tokens: 5,
    metadata,
  });
const line = (value: string, cost: string, count: number, percent: number) => ({
  dimension_value: value,
  total_cost: cost,
  input_tokens: 10 * count,
  output_tokens: 5 * count,
  event_count: count,
  percent_of_total: percent,
});

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents(
    [
      event('1', { team: 'red' }),
      event('2', { team: 'red' }),
      event('0.5', {}),
      event('3', { team: 'blue' }),
      event('0', { Team: 'another key' }),
    ],
    ['dimensionRegister(input: { key: "team" }) { dimension { key } }'],
  );
});
afterAll(() => service.stop());

describe('200', () => {
  const EXPECTED = {
    items: [line('blue', '3', 1, 46.15), line('red', '3', 2, 46.15), line('Unassigned', '0.5', 2, 7.69)],
    total_cost: '6.5',
  };

  it('shows every value, costliest first, then by name, and events without the key as Unassigned', async () => {
    expect((await service.read(`${PATH}?dimension_key=team&${RANGE}`)).body).toEqual(EXPECTED);
  });

  it('is correct at once for a key that is registered late', async () => {
    await service.operate(
      'mutation { dimensionRegister(input: { key: "Team" }) { dimension { state } userErrors { message } } }',
    );
    expect(
      (await service.read(`${PATH}?dimension_key=Team&${RANGE}`)).body.items.map(
        (item: { dimension_value: string }) => item.dimension_value,
      ),
    ).toEqual(['Unassigned', 'another key']);
  });

  it('forgets no event if a key is retired and registered again', async () => {
    await service.operate(
      'mutation { dimensionRetire(input: { key: "team" }) { dimension { key } userErrors { message } } }',
    );
    expectEnvelope(await service.read(`${PATH}?dimension_key=team&${RANGE}`), 404, 'NOT_FOUND', /dimension_key/);
    await service.operate(
      'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }',
    );
    expect((await service.read(`${PATH}?dimension_key=team&${RANGE}`)).body).toEqual(EXPECTED);
  });
});

describe('404', () => {
  it.each(['TEAM', 'agent_id', 'model', 'team%20'])('refuses %s: keys are case-sensitive', async (key) => {
    expectEnvelope(await service.read(`${PATH}?dimension_key=${key}&${RANGE}`), 404, 'NOT_FOUND', /dimension_key/);
  });
});
