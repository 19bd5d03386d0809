import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectEnvelope } from '../../support/envelope.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const PATH = '/margin-data/by-end-user';
const MARCH = 'start_date=2026-03-01&end_date=2026-04-01';
const event = (cost: string | undefined, user?: string, at = '2026-03-10T10:00:00Z') =>
  usageEvent({
    event_invoked_at: at,
    user_id: user,
    ...(cost === undefined ? { model: 'nobody-has-a-card' } : { cost_override: cost }),
  });

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([
    event('1', 'ann'),
    event('2.5', 'bob'),
    event('1', 'Ann'),
    event('0', 'free'),
    event('0.25'),
    event(undefined, 'waits'),
    event('0', 'free', '2026-05-01T00:00:00Z'),
    event('9', 'ann', '2026-04-01T00:00:00Z'),
  ]);
});
afterAll(() => service.stop());

const line = (name: string, cost: string, category: string) => ({
  end_user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  end_user_name: name,
  cost,
  revenue: '0',
  margin_amount: cost === '0' ? '0' : `-${cost}`,
  margin_percent: null,
  profitability_category: category,
});

describe('200, with no revenue synced', () => {
  it('shows only cost: zeros for revenue, no percentage, least profitable first', async () => {
    const { body } = await service.read(`${PATH}?${MARCH}`);
    expect(body.end_users.filter(({ cost }: { cost: string }) => cost !== '0')).toEqual([
      line('bob', '2.5', 'unprofitable'),
      line('Ann', '1', 'unprofitable'),
      line('ann', '1', 'unprofitable'),
    ]);
    expect(body.org_total).toEqual({
      total_revenue: '0',
      total_cost: '4.75',
      margin_amount: '-4.75',
      margin_percent: null,
      profitability_category: 'unprofitable',
      revenue_record_count: 0,
      cost_record_count: 5,
      unattributed_revenue: '0',
      unattributed_cost: '0.25',
    });
    expect(body.warnings.map(({ type, count }: { type: string; count: number }) => [type, count])).toEqual([
      ['unattributed_cost', 1],
      ['revenue_not_connected', expect.any(Number)],
    ]);
    for (const { message } of body.warnings) expect(message).toEqual(expect.stringMatching(/\w+/));
  });

  it('is break-even if nothing was earned or spent', async () => {
    const { body } = await service.read(`${PATH}?start_date=2025-01-01&end_date=2025-02-01`);
    expect(body).toEqual({
      end_users: [],
      org_total: {
        total_revenue: '0',
        total_cost: '0',
        margin_amount: '0',
        margin_percent: null,
        profitability_category: 'break-even',
        revenue_record_count: 0,
        cost_record_count: 0,
        unattributed_revenue: '0',
        unattributed_cost: '0',
      },
      warnings: [{ type: 'revenue_not_connected', count: expect.any(Number), message: expect.any(String) }],
    });
  });

  it('calls events without a cost break-even', async () => {
    const { body } = await service.read(`${PATH}?start_date=2026-05-01&end_date=2026-06-01`);
    expect(
      body.end_users.every((item: { profitability_category: string }) => item.profitability_category === 'break-even'),
    ).toBe(true);
    expect(body.org_total).toMatchObject({
      total_cost: '0',
      margin_percent: null,
      profitability_category: 'break-even',
      cost_record_count: 1,
    });
  });

  it('accepts twelve calendar months, leap years included', async () => {
    for (const [start, end] of [
      ['2023-03-01', '2024-03-01'],
      ['2024-02-29', '2025-02-28'],
      ['2025-01-15T12:00:00.000001Z', '2026-01-15T12:00:00.000001Z'],
    ] as const) {
      expect((await service.read(`${PATH}?start_date=${start}&end_date=${end}`)).status).toBe(200);
    }
  });
});

describe('422', () => {
  it.each([
    ['2025-01-01', '2026-01-01T00:00:00.000001Z'],
    ['2023-03-01', '2024-03-02'],
    ['2000-01-01', '2026-01-01'],
  ])('refuses %s to %s', async (start, end) => {
    const answer = await service.read(`${PATH}?start_date=${start}&end_date=${end}`);
    expectEnvelope(answer, 422, 'UNPROCESSABLE_ENTITY', /12 months/);
    expect(answer.body.error.details.retryable).toBe(false);
  });
});
