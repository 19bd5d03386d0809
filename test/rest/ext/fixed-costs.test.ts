import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { PATIENCE } from '../../support/patience.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { operate } from '../../support/telemetry.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn } from '../../support/visitor.ts';

const JANUARY = { start_date: '2026-01-01', end_date: '2026-02-01' };
const DATES = 'from=2026-01-01&to=2026-01-31';
const GPU = `key: "gpu", name: "GPU <cluster>", provider: "CoreWeave", driver: EVENTS, capacityPerDay: "4", replacesModelCost: true,
  periods: [{ from: "2026-01-15", until: "2026-01-17", amount: "10", per: HOUR }]`;

let service: ServiceWithEvents;
beforeAll(async () => {
  const of = (user_id: string) =>
    usageEvent({ cost_override: '0.02', user_id, event_invoked_at: '2026-01-15T10:00:00Z' });
  service = await serviceWithEvents([of('ann'), of('ann'), of('bob')]);
});
afterAll(() => service.stop());
const send = (body: unknown, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/fixed-costs', key, body);

describe('200', () => {
  it('is empty without fixed costs', async () => {
    const person = await signedIn(service.url, service.firstRun);
    expect((await person.get(`/costs/fixed?${DATES}`)).html).toContain('No fixed costs');
    expect((await send(JANUARY)).body).toMatchObject({
      fixed_costs: [],
      window: { allocated_costs: { total: '0', end_users: [] } },
    });
  });

  it('shows what was bought, used and idle, the share of each customer, and the margin after fixed costs', async () => {
    const { fixedCostPreview } = await operate(
      service,
      `{ fixedCostPreview(input: { ${GPU} }, start: "2026-01-01", end: "2026-02-01") { total idle endUsers { endUser { externalId } amount } } }`,
    );
    expect(fixedCostPreview).toEqual({
      total: '480',
      idle: '300',
      endUsers: [
        { endUser: { externalId: 'ann' }, amount: '120' },
        { endUser: { externalId: 'bob' }, amount: '60' },
      ],
    });
    const saved = await operate(
      service,
      `mutation { fixedCostSave(input: { ${GPU} }) { fixedCost { key allocatedUntil } userErrors { message } } }`,
    );
    expect(saved.fixedCostSave).toEqual({ fixedCost: { key: 'gpu', allocatedUntil: null }, userErrors: [] });
    await expect
      .poll(async () => (await send(JANUARY)).body.window.allocated_costs, PATIENCE)
      .toEqual({
        total: '480',
        allocated: '180',
        unassigned: '0',
        idle: '300',
        unallocated: '0',
        replaced_cost: '0.06',
        end_users: [
          { user_id: 'ann', amount: '120' },
          { user_id: 'bob', amount: '60' },
        ],
        total_end_users: 2,
      });
    const { body } = await send({ ...JANUARY, key: 'gpu', first: 1 });
    expect(body.fixed_costs).toEqual([
      {
        key: 'gpu',
        name: 'GPU <cluster>',
        provider: 'CoreWeave',
        driver: 'EVENTS',
        unit: null,
        capacity_per_day: '4',
        replaces_model_cost: true,
        allocated_until: '2026-01-17',
        utilization: {
          days: 2,
          bought: '480',
          used: '180',
          idle: '300',
          unallocated: '0',
          used_measure: '3',
          capacity: '8',
          percent: 37.5,
          model_cost: '0.06',
          list_cost: '0.06',
          replaced_cost: '0.06',
          // 37.5 × 480 / 0.06
          break_even_percent: 300_000,
          list_break_even_percent: 300_000,
        },
        effective_price: { price: '160', per: '1' },
      },
    ]);
    expect(body.window.allocated_costs).toMatchObject({ total_end_users: 2, end_users: [{ amount: '120' }] });

    const answer = await graphql(
      service.url,
      service.firstRun.live_read_key,
      `{ window(start: "2026-01-01", end: "2026-02-01") {
           marginAfterFixedCosts { modelCost replacedCost fixedCost allocatedCost idleCost marginAmount warnings { type } endUsers { nodes { endUserName modelCost replacedCost allocatedCost marginAmount } } }
           margin { total { totalCost } }
         } }`,
    );
    expect(answer.body.data.window).toEqual({
      marginAfterFixedCosts: {
        modelCost: '0.06',
        replacedCost: '0.06',
        fixedCost: '480',
        allocatedCost: '180',
        idleCost: '300',
        marginAmount: '-480',
        warnings: [],
        endUsers: {
          nodes: [
            { endUserName: 'ann', modelCost: '0.04', replacedCost: '0.04', allocatedCost: '120', marginAmount: '-120' },
            { endUserName: 'bob', modelCost: '0.02', replacedCost: '0.02', allocatedCost: '60', marginAmount: '-60' },
          ],
        },
      },
      margin: { total: { totalCost: '0.06' } },
    });
  });

  it('shows the same on the page, two clicks from the overview', async () => {
    const person = await signedIn(service.url, service.firstRun);
    expect((await person.get(`/costs?${DATES}`)).html).toContain(
      '<a href="/costs/fixed?from=2026-01-01&amp;to=2026-01-31">Fixed costs</a>',
    );
    const { status, html } = await person.get(`/costs/fixed?${DATES}`);
    expect(status).toBe(200);
    expect(html).toContain('GPU &lt;cluster&gt;');
    expect(html).toContain('allocated until <time datetime="2026-01-17">17 Jan 2026</time>');
    expect(html).toContain('<data value="300">$300.00</data>');
    expect(html).toMatch(/>ann<\/th><td class="number"><data value="120">/);
    expect(html).toMatch(/<data value="160">[^<]*<\/data><br> <span class="muted">per event</);
    // Only customers with a share have a row.
    expect(html).toMatch(/<span class="muted">Idle<\/span><\/th><td class="number"><data value="300">/);
    expect(html).not.toContain('<span class="muted">Unallocated</span>');
    expect(html).not.toContain('<span class="muted">Events without a customer</span>');
  });
});

describe('400', () => {
  it('to an invalid member', async () => {
    expectEnvelope(await send({ first: 1001 }), 400, 'VALIDATION_ERROR', /first must be a whole number from 1 to 1000/);
    expectEnvelope(await send({ color: 'red' }), 400, 'VALIDATION_ERROR', /color/);
  });
});

describe('401', () => {
  it('without a key', async () => {
    expectEnvelope(await send(JANUARY, null), 401, 'UNAUTHORIZED');
  });
});

describe('404', () => {
  it('to an unknown key of a fixed cost', async () => {
    expectEnvelope(await send({ ...JANUARY, key: 'nothing' }), 404, 'NOT_FOUND', /Unknown fixed cost/);
  });
});
