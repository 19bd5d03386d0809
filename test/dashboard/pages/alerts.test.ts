/** Alerts in the browser: what is watched, and how it is changed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { graphql } from '../../support/api-client.ts';
import { type RunningService, runningService } from '../../support/running-service.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

let service: RunningService;
let person: Visitor;

beforeAll(async () => {
  service = await runningService();
  person = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

const rules = async () => {
  const { operator_token: operator, organization_id: organization } = service.firstRun;
  const document = `{ alertRules { id name kind groupBy groupByDimension metric comparator value windowHours windowDays amount levels withForecast period floor isMuted filter { endUser agent model provider dimensions { key value } } } }`;
  const { body } = await graphql(service.url, operator, document, {}, organization);
  return body.data.alertRules as readonly Record<string, unknown>[];
};
const ruleNamed = async (name: string) => (await rules()).find((rule) => rule['name'] === name);

it('three are watched from the start, muted, in words', async () => {
  const { status, html } = await person.get('/alerts');
  expect(status).toBe(200);
  expect([...html.matchAll(/<span class="badge">muted<\/span>/g)]).toHaveLength(3);
  expect(html).toContain('Events wait for a price for 15 minutes');
  expect(html).toContain('>Deliver<');
});

it('a budget is set, told wrong, and changed', async () => {
  const kinds = await person.get('/alerts/rules/new');
  expect(kinds.html).toContain('href="/alerts/rules/new?kind=BUDGET"');
  const page = await person.get('/alerts/rules/new?kind=BUDGET');
  const wrong = await person.answer(page, '/alerts/rules/new', { kind: 'BUDGET', name: 'Month', amount: 'much' });
  expect(wrong.status).toBe(400);
  expect(wrong.html).toContain('amount must be a positive amount in USD');
  expect(wrong.html).toContain('name="name" value="Month"');
  const saved = await person.answer(wrong, '/alerts/rules/new', {
    ...{ kind: 'BUDGET', name: 'Month', amount: '90.5', period: 'MONTH', levels: '40 %, 100', forecast: 'yes' },
    ...{ key: 'feature', keyValue: 'chat', agent: 'support' },
  });
  expect([saved.status, saved.headers.get('location')]).toEqual([303, '/alerts?done=alert-saved#rules']);
  expect(await ruleNamed('Month')).toMatchObject({
    ...{ kind: 'BUDGET', amount: '90.5', levels: [40, 100], withForecast: true, period: 'MONTH', isMuted: false },
    filter: { agent: 'support', dimensions: [{ key: 'feature', value: 'chat' }] },
  });
  const { html } = await person.get('/alerts?done=alert-saved');
  expect(html).toContain(
    '$90.50 a month, told at 40 %, 100 % and when the forecast passes it, agent support, feature chat',
  );
});

it('what a rule takes is in its form, as it is, and what is taken out of the form is taken out of the rule', async () => {
  const page = await person.get('/alerts/rules/new?kind=THRESHOLD');
  const typed = {
    ...{ kind: 'THRESHOLD', name: 'Much', metric: 'COST', comparator: 'ABOVE', value: '20', count: '6' },
    ...{ unit: 'hours', group: 'END_USER', endUser: '' },
  };
  expect((await person.answer(page, '/alerts/rules/new', typed)).status).toBe(303);
  const { id } = (await ruleNamed('Much'))!;
  const form = await person.get(`/alerts/rules/${String(id)}`);
  expect(form.html).toContain('Cost of the last 6 hours above $20.00, of each customer');
  expect(form.html).toMatch(/<option value="END_USER" selected>each customer/);
  const changed = { ...typed, count: '3', unit: 'days', group: '', muted: 'yes' };
  expect((await person.answer(form, `/alerts/rules/${String(id)}`, changed)).status).toBe(303);
  expect(await ruleNamed('Much')).toMatchObject({ windowDays: 3, windowHours: null, groupBy: null, isMuted: true });
  await person.answer(await person.get('/alerts'), `/alerts/rules/${String(id)}/mute`, { muted: 'no' });
  expect(await ruleNamed('Much')).toMatchObject({ isMuted: false });
  const gone = await person.answer(form, `/alerts/rules/${String(id)}/delete`, {});
  expect(gone.headers.get('location')).toBe('/alerts?done=alert-deleted#rules');
  expect((await person.get(`/alerts/rules/${String(id)}`)).status).toBe(404);
  expect((await person.get('/alerts/rules/new?kind=NOTHING')).html).toContain('What shall be watched?');
});
