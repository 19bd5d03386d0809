/** Allowances on `/allowances`: adding, changing, topping up and removing them, refusals, and permissions. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post, postExt, settle } from '../../support/api-client.ts';
import { signedInMember } from '../../support/member.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate } from '../../support/telemetry.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

const PAGE = '/allowances';
let service: RunningService;
let owner: Visitor;
beforeAll(async () => {
  service = await sharedService();
  owner = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

const typed = { subject: 'END_USER', subjectId: 'customer <7>', period: 'DAY', policy: 'DENY', amount: '5' };
const list = async () => (await operate(service, '{ allowances { nodes { id period amount } } }')).allowances.nodes;

it('the allowances page adds an allowance, shows what is left of it and what was refused, and removes it', async () => {
  expect((await owner.get('/costs')).html).toContain('<a href="/allowances">');
  const page = await owner.get(PAGE);
  expect(page.html).toContain('No allowances: every call is allowed.');
  expect((await owner.answer(page, PAGE, typed)).location).toBe(`${PAGE}?done=allowance-saved`);
  const ask = (key: string, amount: string) =>
    postExt(service.url, '/holds', service.firstRun.live_ingest_key, {
      idempotency_key: key,
      end_user: 'customer <7>',
      amount,
    });
  await ask('one', '1.25');
  expect((await ask('two', '4')).body.allowed).toBe(false);
  const after = await owner.get(PAGE);
  const { html } = after;
  expect(html).toContain('Customer customer &lt;7&gt; <span class="muted">per day</span>');
  expect(html).toContain('<data value="1.25">$1.25</data> <span class="muted">1 call</span>');
  expect(html).toContain('<data value="3.75">$3.75</data>');
  expect(html).toMatch(/Refused in the last 24 hours[^]*customer &lt;7&gt;[^]*\$4\.00/);
  const [{ id }] = await list();
  expect((await owner.answer(after, `${PAGE}/remove`, { id })).location).toBe(`${PAGE}?done=allowance-removed`);
  expect(await list()).toEqual([]);
});

it('the allowances page shows the used share to two decimals', async () => {
  const page = await owner.get(PAGE);
  await owner.answer(page, PAGE, { ...typed, subjectId: 'customer-9' });
  const event = usageEvent({ user_id: 'customer-9', cost_override: '1.656' });
  await post(service.url, '/usage-events', service.firstRun.live_ingest_key, event);
  await settle(service.url, service.firstRun.operator_token);
  const after = await owner.get(PAGE);
  expect(after.html).toContain('<data value="1.656">$1.66</data> <span class="muted">33.12%</span>');
  const [{ id }] = await list();
  await owner.answer(after, `${PAGE}/remove`, { id });
});

it('the allowances page tops up a prepaid allowance once, even if the form is sent twice', async () => {
  const page = await owner.get(PAGE);
  await owner.answer(page, PAGE, { ...typed, period: 'PREPAID', amount: '' });
  const [{ id }] = await list();
  const after = await owner.get(PAGE);
  for (let time = 1; time <= 2; time++)
    expect((await owner.answer(after, `${PAGE}/top-up`, { id, amount: '2.50', key: 'page-1' })).location).toBe(
      `${PAGE}?done=allowance-topped-up`,
    );
  expect(await list()).toMatchObject([{ period: 'PREPAID', amount: '2.5' }]);
  await owner.submit(PAGE, `${PAGE}/top-up`, { id, amount: '1' });
  expect(await list()).toMatchObject([{ period: 'PREPAID', amount: '3.5' }]);
});

it('the allowances page shows errors in the typed values', async () => {
  const refused = await owner.answer(await owner.get(PAGE), PAGE, { ...typed, amount: '' });
  expect(refused.status).toBe(400);
  expect(refused.html).toContain('amount is required for an allowance per day or month');
  expect(refused.html).toContain('value="customer &lt;7&gt;"');
});

it('the allowances page lets members read, and change nothing', async () => {
  const member = await signedInMember(service);
  const seen = await member.get(PAGE);
  expect(seen.status).toBe(200);
  expect(seen.html).not.toContain('Add or change an allowance');
  expect(seen.html).not.toContain('>Remove<');
});
