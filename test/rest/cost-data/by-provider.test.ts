import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const event = (provider: string | undefined, cost: string | undefined, model = 'mine') =>
  usageEvent({
    event_invoked_at: '2026-03-01T10:00:00Z',
    provider,
    model,
    cost_override: cost,
    input_tokens: 1_000_000,
    output_tokens: 0,
  });

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents(
    [
      event('OpenAI', '6'),
      event('OpenAI', '0'),
      event('openai', '1'),
      event('Acme', '2'),
      event('acme 2', '2'),
      event(undefined, '0.5'),
      event(undefined, undefined, 'claude-acme'),
    ],
    [
      'rateSet(input: { model: "claude-acme", provider: "anthropic", input: "0.25", output: "1" }) { rate { modelSlug } userErrors { message code } }',
    ],
  );
});
afterAll(() => service.stop());

describe('200', () => {
  it('names providers as reported, keeps unknown ones apart, and adds up', async () => {
    const { body } = await service.read('/cost-data/by-provider?start_date=2026-03-01&end_date=2026-03-02');
    expect(body).toEqual({
      providers: [
        {
          provider_id: 'openai',
          provider_name: 'OpenAI',
          provider_slug: 'openai',
          total_cost: '7',
          event_count: 3,
          percent_of_total: 59.57,
        },
        {
          provider_id: 'unknown',
          provider_name: 'Acme',
          provider_slug: 'unknown',
          total_cost: '2',
          event_count: 1,
          percent_of_total: 17.02,
        },
        {
          provider_id: 'unknown',
          provider_name: 'acme 2',
          provider_slug: 'unknown',
          total_cost: '2',
          event_count: 1,
          percent_of_total: 17.02,
        },
        {
          provider_id: 'unknown',
          provider_name: 'unknown',
          provider_slug: 'unknown',
          total_cost: '0.5',
          event_count: 1,
          percent_of_total: 4.26,
        },
        {
          provider_id: 'anthropic',
          provider_name: 'Anthropic',
          provider_slug: 'anthropic',
          total_cost: '0.25',
          event_count: 1,
          percent_of_total: 2.13,
        },
      ],
      total_cost: '11.75',
    });
  });

  it('is empty without events', async () => {
    expect((await service.read('/cost-data/by-provider?start_date=2025-01-01&end_date=2025-02-01')).body).toEqual({
      providers: [],
      total_cost: '0',
    });
  });
});
