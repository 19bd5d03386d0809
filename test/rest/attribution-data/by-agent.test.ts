import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const PATH = '/attribution-data/by-agent';
const FEW = 'start_date=2026-03-01&end_date=2026-03-02';
const MANY = 'start_date=2026-04-01&end_date=2026-04-02';
const AGENTS = 1001;

let service: ServiceWithEvents;
beforeAll(async () => {
  const few = (cost: string, more: object) =>
    usageEvent({
      event_invoked_at: '2026-03-01T10:00:00Z',
      cost_override: cost,
      input_tokens: 10,
      output_tokens: 5,
      ...more,
    });
  service = await serviceWithEvents([
    few('2', { agent_id: 'b' }),
    few('1', { metadata: { agent_id: 'a' } }),
    few('1', { agent_id: 'a', metadata: { agent_id: 'overruled' } }),
    few('0.5', {}),
    ...Array.from({ length: AGENTS }, (_, index) =>
      usageEvent({
        event_invoked_at: '2026-04-01T10:00:00Z',
        agent_id: `agent ${index}`,
        cost_override: String(index + 1),
        input_tokens: 1,
        output_tokens: 0,
      }),
    ),
    usageEvent({ event_invoked_at: '2026-04-01T10:00:00Z', cost_override: '0.25' }),
  ]);
});
afterAll(() => service.stop());

describe('200', () => {
  it('shows agents costliest first, then by name, and events without one as Unassigned', async () => {
    const { body } = await service.read(`${PATH}?${FEW}`);
    const line = (value: string, cost: string, count: number, percent: number) => ({
      attribution_value: value,
      total_cost: cost,
      input_tokens: 10 * count,
      output_tokens: 5 * count,
      event_count: count,
      percent_of_total: percent,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
      reasoning_tokens: null,
      input_cost: '0',
      output_cost: '0',
      cache_creation_cost: null,
      cache_read_cost: null,
      reasoning_cost: null,
    });
    expect(body).toEqual({
      items: [line('a', '2', 2, 44.44), line('b', '2', 1, 44.44), line('Unassigned', '0.5', 1, 11.11)],
      total_cost: '4.5',
      total_groups: 3,
      truncated: false,
    });
  });

  it('drops the cheapest groups beyond a thousand, and its totals cover all of them', async () => {
    const {
      body: { items, ...totals },
    } = await service.read(`${PATH}?${MANY}`);
    expect(totals).toEqual({ total_cost: '501501.25', total_groups: AGENTS + 1, truncated: true });
    expect(items).toHaveLength(1000);
    expect([items[0].attribution_value, items.at(-1).attribution_value]).toEqual(['agent 1000', 'agent 1']);
    expect(items[0].percent_of_total).toBe(0.2);
  });

  it('is empty without events', async () => {
    expect((await service.read(`${PATH}?start_date=2025-01-01&end_date=2025-02-01`)).body).toEqual({
      items: [],
      total_cost: '0',
      total_groups: 0,
      truncated: false,
    });
  });
});
