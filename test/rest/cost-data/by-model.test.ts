import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const RANGE = 'start_date=2026-03-01&end_date=2026-03-02';
const AT = '2026-03-01T10:00:00Z';
const NOTHING_REPORTED = {
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  reasoning_tokens: null,
  cache_creation_cost: null,
  cache_read_cost: null,
  reasoning_cost: null,
};

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents(
    [
      usageEvent({
        event_invoked_at: AT,
        model: 'acme-1',
        provider: 'openai',
        input_tokens: 1000,
        output_tokens: 100,
        cache_read_input_tokens: 400,
        reasoning_tokens: 0,
      }),
      usageEvent({ event_invoked_at: AT, model: 'ACME-1', provider: 'openai', input_tokens: 500, output_tokens: 0 }),
      usageEvent({
        event_invoked_at: AT,
        model: 'Mine',
        provider: undefined,
        cost_override: '0.001500',
        input_tokens: 3,
        output_tokens: 4,
      }),
      usageEvent({ event_invoked_at: AT, model: 'b', provider: 'nobody knows', cost_override: '0' }),
      usageEvent({ event_invoked_at: AT, model: 'a', provider: 'nobody knows', cost_override: '0' }),
      usageEvent({ event_invoked_at: AT, model: 'nobody-has-a-card' }),
      usageEvent({ event_invoked_at: '2026-03-02T00:00:00Z', model: 'acme-1' }),
    ],
    [
      'rateSet(input: { model: "acme", input: "2", output: "8", cacheRead: "0.5" }) { rate { modelSlug } userErrors { message code } }',
    ],
  );
});
afterAll(() => service.stop());

describe('200', () => {
  it('shows completed events by card and provider, costliest first, then by name, adding up to the total', async () => {
    const { body } = await service.read(`/cost-data/by-model?${RANGE}`);
    expect(body).toEqual({
      models: [
        {
          model_slug: 'acme',
          provider_slug: 'openai',
          total_cost: '0.0032',
          input_tokens: 1500,
          output_tokens: 100,
          cache_creation_input_tokens: null,
          cache_read_input_tokens: 400,
          reasoning_tokens: 0,
          input_cost: '0.0022',
          output_cost: '0.0008',
          cache_creation_cost: null,
          cache_read_cost: '0.0002',
          reasoning_cost: '0',
          event_count: 2,
          percent_of_total: 68.09,
        },
        {
          model_slug: 'Mine',
          provider_slug: 'unknown',
          total_cost: '0.0015',
          input_tokens: 3,
          output_tokens: 4,
          ...NOTHING_REPORTED,
          input_cost: '0',
          output_cost: '0',
          event_count: 1,
          percent_of_total: 31.91,
        },
        {
          model_slug: 'a',
          provider_slug: 'unknown',
          total_cost: '0',
          input_tokens: 1000,
          output_tokens: 100,
          ...NOTHING_REPORTED,
          input_cost: '0',
          output_cost: '0',
          event_count: 1,
          percent_of_total: 0,
        },
        {
          model_slug: 'b',
          provider_slug: 'unknown',
          total_cost: '0',
          input_tokens: 1000,
          output_tokens: 100,
          ...NOTHING_REPORTED,
          input_cost: '0',
          output_cost: '0',
          event_count: 1,
          percent_of_total: 0,
        },
      ],
      total_cost: '0.0047',
    });
  });

  it('is empty without events', async () => {
    expect((await service.read('/cost-data/by-model?start_date=2025-01-01&end_date=2025-02-01')).body).toEqual({
      models: [],
      total_cost: '0',
    });
  });

  it.each([
    ['2026-03-01T10:00:00.000001Z', '2026-03-02', '0'],
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000001Z', '0.0047'],
    ['2026-03-01T12:00:00%2B02:00', '2026-03-01T10:00:01', '0.0047'],
    ['2026-03-01', '2026-03-01T10:00:00Z', '0'],
  ])('counts from %s, inclusive, to %s, exclusive', async (start, end, total) => {
    expect((await service.read(`/cost-data/by-model?start_date=${start}&end_date=${end}`)).body.total_cost).toBe(total);
  });

  it('begins with the month of the last instant if no start is given', async () => {
    expect((await service.read('/cost-data/by-model?end_date=2026-03-02')).body.total_cost).toBe('0.0047');
    expect((await service.read('/cost-data/by-model?end_date=2026-03-01')).body.total_cost).toBe('0');
  });
});
