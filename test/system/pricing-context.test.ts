/**
 * Everything besides model and tokens that decided a price: from the event to the ledger, the feed, rollups and reads.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, postExt } from '../support/api-client.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../support/service-with-events.ts';
import { usageEvent } from '../support/usage-event.ts';
import { signedIn } from '../support/visitor.ts';

const WINDOW = 'window(start: "2026-03-01", end: "2026-03-02")';
const NOW = 'window(start: "2026-04-01", end: "2100-01-01")';
const event = (more: object = {}) =>
  usageEvent({
    event_invoked_at: '2026-03-01T10:00:00Z',
    model: 'acme',
    provider: 'acme',
    input_tokens: 1_000_000,
    output_tokens: 0,
    ...more,
  });
const rate = (input: string) =>
  `rateSet(input: { model: "acme", input: "${input}", output: "0", contexts: [
    { context: "tier=batch", factor: "0.5" }, { context: "geo=us", factor: "2" }, { context: "hours=0900-1200", factor: "1" }] }) { rate { modelSlug } userErrors { message code } }`;

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents(
    [
      event({ event_invoked_at: '2026-03-01T15:00:00Z', user_id: 'u1' }),
      event({
        event_invoked_at: '2026-03-01T15:00:00Z',
        service_tier: 'batch',
        user_id: 'u1',
        metadata: { team: 'red' },
      }),
      event({ service_tier: 'batch', inference_geo: 'us', user_id: 'u2', metadata: { team: 'blue' } }),
    ],
    [rate('1')],
  );
});
afterAll(() => service.stop());

const byKey = async (key: string, filter = '', span = WINDOW): Promise<Record<string, [string, number]>> => {
  const read = `costsByAttribution(key: "${key}"${filter}) { items { attributionValue totalCost eventCount } }`;
  const { body } = await graphql(service.url, service.firstRun.live_read_key, `{ ${span} { ${read} } }`);
  const { window } = body.data;
  return Object.fromEntries(
    window.costsByAttribution.items.map((item: { attributionValue: string; totalCost: string; eventCount: number }) => [
      item.attributionValue,
      [item.totalCost, item.eventCount],
    ]),
  );
};

describe('costs by pricing context', () => {
  it('by each key and by the whole context', async () => {
    expect(await byKey('pricing.tier')).toEqual({ batch: ['1.5', 2], Unassigned: ['1', 1] });
    expect(await byKey('pricing.geo')).toEqual({ us: ['1', 1], Unassigned: ['1.5', 2] });
    expect(await byKey('pricing.hours')).toEqual({ '0900-1200': ['1', 1], Unassigned: ['1.5', 2] });
    expect(await byKey('pricing.context')).toEqual({
      'tier=batch': ['0.5', 1],
      'geo=us,hours=0900-1200,tier=batch': ['1', 1],
      Unassigned: ['1', 1],
    });
  });

  it('are the same from a rollup, and with a filter on another key', async () => {
    const before = await byKey('pricing.tier');
    await service.operate(
      'mutation { dimensionRegister(input: { key: "pricing.tier" }) { dimension { key } userErrors { message } } }',
    );
    expect(await byKey('pricing.tier')).toEqual(before);
    expect(await byKey('team', ', filterKey: "pricing.tier", filterValue: "batch"')).toEqual({
      red: ['0.5', 1],
      blue: ['1', 1],
    });
    const rest = await service.read(
      '/dimension-data/cost-breakdown?dimension_key=pricing.tier&start_date=2026-03-01&end_date=2026-03-02',
    );
    expect(
      rest.body.items.map((item: { dimension_value: string; total_cost: string }) => [
        item.dimension_value,
        item.total_cost,
      ]),
    ).toEqual([
      ['batch', '1.5'],
      ['Unassigned', '1'],
    ]);
  });

  it('include corrections in the context of the cost that they correct', async () => {
    await service.operate(
      `mutation { ${rate('3').replace('rateSet(input: {', 'rateSet(input: { effectiveFrom: "2026-01-01",')} }`,
    );
    await service.operate(
      `mutation { repricingRun(input: { start: "2026-03-01", end: "2026-03-02" }) { repricing { events } userErrors { message code } } }`,
    );
    await service.send([]);
    expect(await byKey('pricing.tier')).toEqual({ batch: ['4.5', 2], Unassigned: ['3', 1] });
  });
});

describe('a context without a price on any card', () => {
  const flexible = {
    provider: 'openai',
    model: 'acme-flexible',
    service_tier: 'flex',
    event_invoked_at: new Date().toISOString(),
  };
  const priceOf = async () => {
    const usage = { input_tokens: 1_000_000, output_tokens: 0, service_tier: 'flex' };
    const call = { model: 'acme-flexible', provider: 'openai', usage };
    return (await postExt(service.url, '/price', service.firstRun.live_read_key, call)).body;
  };
  const figures = async () => {
    const window = 'window(start: "2026-03-01", end: "2100-01-01") { eventsAtBase }';
    const { costingHealth, ...more } = await service.operate(
      `{ ${window} costingHealth { unpriced { cause events } atBase { model unknownContext events } } }`,
    );
    return { ...costingHealth, ...more.window };
  };

  it('waits until an owner chooses otherwise on the page, and is then in breakdowns', async () => {
    await service.operate(
      'mutation { rateSet(input: { model: "acme-flexible", provider: "openai", input: "8", output: "0" }) { rate { modelSlug } userErrors { message code } } }',
    );
    await service.send([event(flexible)]);
    expect(await figures()).toEqual({
      unpriced: [{ cause: 'UNKNOWN_CONTEXT', events: 1 }],
      atBase: [],
      eventsAtBase: 0,
    });
    expect(await priceOf()).toMatchObject({ status: 'pending_rate_card', unknown_context: null });

    const page = '/books/not-understood';
    const owner = await signedIn(service.url, service.firstRun);
    expect((await owner.get(page)).html).toContain('They wait for a rate for their tier, speed or region.');
    expect((await owner.submit(page, `${page}/contexts`, {})).location).toBe(`${page}?done=contexts-at-base`);
    await service.send([]);
    const { html } = await owner.get(page);
    expect(html).toContain('Costs without a price for part of their context');
    expect(html).toContain('Let these calls wait');
    expect((await owner.get('/')).html).toContain('1 cost ignores the tier, speed or region of the call');
    expect((await owner.post(`${page}/contexts`, { unknownContext: 'BASE' })).status).toBe(403);

    expect(await figures()).toEqual({
      unpriced: [],
      atBase: [{ model: 'acme-flexible', unknownContext: 'tier=flex', events: 1 }],
      eventsAtBase: 1,
    });
    expect(await priceOf()).toMatchObject({ status: 'completed', total_cost: '8', unknown_context: 'tier=flex' });
    expect(await byKey('pricing.tier', '', NOW)).toEqual({ flex: ['8', 1] });
    expect((await owner.submit(page, `${page}/contexts`, {})).location).toBe(`${page}?done=contexts-wait`);
    expect(await priceOf()).toMatchObject({ status: 'pending_rate_card' });
    expect(await figures()).toMatchObject({ eventsAtBase: 1 });
  });

  it('is chosen only by owners, admins and operators', async () => {
    const { body } = await graphql(
      service.url,
      service.firstRun.live_read_key,
      'mutation { contextPolicySet(input: { unknownContext: BASE }) { requeuedEvents userErrors { message } } }',
    );
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});
