import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { operate } from '../../support/telemetry.ts';
import { usageEvent } from '../../support/usage-event.ts';

const JANUARY = { start_date: '2026-01-01', end_date: '2026-02-01' };

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([
    usageEvent({ cost_override: '0.02', user_id: 'ann', event_invoked_at: '2026-01-15T10:00:00Z' }),
  ]);
  for (const [day, amount] of [
    ['2026-01-31', '3'],
    ['2026-01-20', '-0.5'],
    ['2026-02-01', '100'],
  ])
    await operate(
      service,
      `mutation { costAdjustmentBook(input: { day: "${day}", provider: "openai", amount: "${amount}", note: "Storage" }) { userErrors { message } } }`,
    );
});
afterAll(() => service.stop());
const send = (body: unknown, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/margin-after-fixed-costs', key, body);

describe('200', () => {
  it('subtracts the adjustments of the window, which no customer carries', async () => {
    const { status, body } = await send(JANUARY);
    expect([status, body.margin_after_fixed_costs]).toEqual([
      200,
      {
        revenue: '0',
        model_cost: '0.02',
        replaced_cost: '0',
        fixed_cost: '0',
        allocated_cost: '0',
        unassigned_cost: '0',
        idle_cost: '0',
        unallocated_cost: '0',
        shortfall_cost: '0',
        adjustment_cost: '2.5',
        margin_amount: '-2.52',
        margin_percent: null,
        warnings: [],
        end_users: {
          total_count: 1,
          nodes: [
            {
              user_id: 'ann',
              name: 'ann',
              revenue: '0',
              model_cost: '0.02',
              replaced_cost: '0',
              allocated_cost: '0',
              margin_amount: '-0.02',
              margin_percent: null,
            },
          ],
        },
      },
    ]);
    const { body: fixed } = await postExt(service.url, '/fixed-costs', service.firstRun.live_read_key, JANUARY);
    expect(fixed.window.adjustments).toMatchObject({
      total: '2.5',
      count: 2,
      entries: [
        { day: '2026-01-31', provider: 'openai', model: null, amount: '3', note: 'Storage' },
        { day: '2026-01-20', amount: '-0.5' },
      ],
    });
  });
});

describe('400', () => {
  it('to an invalid member', async () => {
    expectEnvelope(await send({ first: 1001 }), 400, 'VALIDATION_ERROR', /first must be a whole number from 1 to 1000/);
  });
});

describe('401', () => {
  it('without a key', async () => {
    expectEnvelope(await send(JANUARY, null), 401, 'UNAUTHORIZED');
  });
});

describe('403', () => {
  it('to a key without revenue:read', async () => {
    expectEnvelope(await send(JANUARY, service.firstRun.live_ingest_key), 403, 'FORBIDDEN');
  });
});
