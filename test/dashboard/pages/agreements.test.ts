/**
 * Discounts agreed with a provider on `/rates/agreements`: preview, saving with repricing, removal, and permissions.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post, settle } from '../../support/api-client.ts';
import { signedInMember } from '../../support/member.ts';
import { PATIENCE } from '../../support/patience.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate } from '../../support/telemetry.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

const PAGE = '/rates/agreements';
let service: RunningService;
let owner: Visitor;

beforeAll(async () => {
  service = await sharedService();
  owner = await signedIn(service.url, service.firstRun);
  // At Anthropic's price of 3 per million input tokens: 0.30 USD.
  const call = usageEvent({
    model: 'claude-sonnet-4-6',
    provider: 'anthropic',
    input_tokens: 100_000,
    output_tokens: 0,
  });
  const { body } = await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [call]);
  expect(body).toMatchObject({ accepted: 1 });
  await settle(service.url, service.firstRun.operator_token);
});
afterAll(() => service.stop());

const typed = {
  name: 'Enterprise <2026>',
  provider: 'Anthropic',
  reference: 'C-1',
  percent: '20',
  models: 'claude-sonnet-*, claude-opus-*',
  from: '2020-01-01',
  until: '',
};

it('the agreements page previews an agreement, saves it with a repricing, and removes it', async () => {
  const page = await owner.get(PAGE);
  expect(page.html).toContain('No agreements');
  const shown = await owner.answer(page, `${PAGE}/preview`, typed);
  expect(shown.status).toBe(200);
  expect(shown.html).toMatch(/<dd>1<\/dd>[^]*\$0\.06/);
  expect((await owner.get(PAGE)).html).toContain('No agreements');

  const span = Object.fromEntries(
    ['start', 'end'].map((name) => [name, new RegExp(`name="${name}" value="([^"]+)"`).exec(shown.html)?.[1] ?? '']),
  );
  const saved = await owner.answer(shown, PAGE, { ...typed, ...span, reprice: 'yes' });
  expect(saved.location).toBe('/books?done=repricing-begun');
  const after = await owner.get(PAGE);
  expect(after.html).toContain('Enterprise &lt;2026&gt;');
  expect(after.html).toContain('20% off claude-sonnet-*, claude-opus-*');
  expect(after.html).toContain('Saved in the last 30 days');
  const cost = async () =>
    (await operate(service, '{ receivedEvents(first: 1) { nodes { totalCost } } }')).receivedEvents.nodes;
  await expect.poll(cost, PATIENCE).toEqual([{ totalCost: '0.24' }]);

  const { agreements } = await operate(service, '{ agreements { id } }');
  const removed = await owner.answer(after, `${PAGE}/remove`, { id: agreements[0].id });
  expect(removed.location).toBe(`${PAGE}?done=agreement-removed`);
  expect((await owner.get(PAGE)).html).toContain('No agreements');
});

it('the agreements page shows errors in the typed values', async () => {
  const page = await owner.get(PAGE);
  const refused = await owner.answer(page, `${PAGE}/preview`, { ...typed, provider: 'nobody-knows-it' });
  expect(refused.status).toBe(400);
  expect(refused.html).toContain('provider nobody-knows-it has no rate cards');
  expect(refused.html).toContain('value="C-1"');
});

it('the agreements page lets members read, and change nothing', async () => {
  const member = await signedInMember(service);
  const seen = await member.get(PAGE);
  expect(seen.html).toContain('No agreements');
  expect(seen.html).not.toContain('Add an agreement');
});

it('the agreements page shows the usage at which bought capacity pays off', async () => {
  const dayAt = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const call = usageEvent({ cost_override: '0.5', event_invoked_at: `${dayAt(5)}T12:00:00Z` });
  await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [call]);
  await settle(service.url, service.firstRun.operator_token);
  expect((await owner.get(PAGE)).html).not.toContain('Capacity in the last 30 days');
  await operate(
    service,
    `mutation { fixedCostSave(input: { key: "units", name: "Units <a>", provider: "Azure", driver: EVENTS, replacesModelCost: true, capacityPerDay: "4",
       periods: [{ from: "${dayAt(5)}", until: "${dayAt(4)}", amount: "1", per: DAY, quantity: "1" }] }) { userErrors { message } } }`,
  );
  // A quarter is used, at half the price: at half the capacity, both cost the same.
  await expect
    .poll(async () => (await owner.get(PAGE)).html, PATIENCE)
    .toMatch(/Units &lt;a&gt;[^]*<data value="1">[^]*<data value="0.5">[^]*25(\.00)?%[^]*50(\.00)?%/);
});
