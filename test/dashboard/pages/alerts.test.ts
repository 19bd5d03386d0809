/** Alerts in the browser: incidents, rules and how to change them, and channels. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PAGES } from '../../../subgraphs/alerting/figures/page-path.ts';
import { type AlertedService, alertedService, ANY_EVENT } from '../../support/alerted-service.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { PATIENCE } from '../../support/patience.ts';
import { signedIn, type Visitor, visitor } from '../../support/visitor.ts';

let service: AlertedService;
let person: Visitor;
let receiver: Server;
let mailServer: MailServer;
const received: string[] = [];
let status = 200;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    received.push(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  mailServer = await startMailServer();
  service = await alertedService({
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    SMTP_URL: mailServer.url,
    SMTP_FROM: 'books@example.com',
  });
  person = await signedIn(service.url, service.firstRun);
});
afterAll(async () => {
  receiver.close();
  await service.stop();
  await mailServer.close();
});

const rules = async () => {
  const document = `{ alertRules { id name kind groupBy groupByDimension metric comparator value windowHours windowDays amount levels withForecast period floor isMuted channelIds filter { endUser agent model provider dimensions { key value } } } }`;
  return (await service.operate(document)).alertRules as readonly Record<string, unknown>[];
};
const ruleNamed = async (name: string) => (await rules()).find((rule) => rule['name'] === name);

it('three default rules exist, muted, described in words', async () => {
  const { status: code, html } = await person.get('/alerts');
  expect(code).toBe(200);
  expect([...html.matchAll(/<span class="badge">muted<\/span>/g)]).toHaveLength(3);
  expect(html).toContain('Events have had no price for 15 minutes');
  expect(html).toContain('>Unmute<');
});

it('a budget is set, rejected with an error, and changed', async () => {
  const kinds = await person.get('/alerts/rules/new');
  expect(kinds.html).toContain('href="/alerts/rules/new?kind=BUDGET"');
  const page = await person.get('/alerts/rules/new?kind=BUDGET');
  const wrong = await person.answer(page, '/alerts/rules/new', { kind: 'BUDGET', name: 'Month', amount: 'much' });
  expect(wrong.status).toBe(400);
  expect(wrong.html).toContain('amount must be more than 0, in USD');
  expect(wrong.html).toContain('name="name" value="Month"');
  const saved = await person.answer(wrong, '/alerts/rules/new', {
    ...{ kind: 'BUDGET', name: 'Month', amount: '90.5', period: 'MONTH', levels: '40 %, 100', forecast: 'yes' },
    model: 'gpt-4o',
  });
  expect([saved.status, saved.headers.get('location')]).toEqual([303, '/alerts?done=alert-saved#rules']);
  expect(await ruleNamed('Month')).toMatchObject({
    ...{ kind: 'BUDGET', amount: '90.5', levels: [40, 100], withForecast: true, period: 'MONTH', isMuted: false },
    filter: { model: 'gpt-4o', dimensions: [] },
  });
  const { html } = await person.get('/alerts?done=alert-saved');
  expect(html).toContain('$90.50 per month; notify at 40%, 100% and when the forecast exceeds it, model gpt-4o');
});

it("a rule's form shows its parameters; removing one from the form removes it from the rule", async () => {
  const page = await person.get('/alerts/rules/new?kind=THRESHOLD');
  const typed = {
    ...{ kind: 'THRESHOLD', name: 'Much', metric: 'COST', comparator: 'ABOVE', value: '20', count: '6' },
    ...{ unit: 'hours', group: 'END_USER', endUser: '', key: 'feature', keyValue: 'chat' },
  };
  expect((await person.answer(page, '/alerts/rules/new', typed)).status).toBe(303);
  const { id } = (await ruleNamed('Much'))!;
  const form = await person.get(`/alerts/rules/${String(id)}`);
  expect(form.html).toContain('Cost of the last 6 hours above $20.00, per customer, feature chat');
  expect(form.html).toMatch(/<option value="END_USER" selected>customer/);
  const changed = { ...typed, key: '', keyValue: '', count: '3', unit: 'days', group: '', muted: 'yes' };
  expect((await person.answer(form, `/alerts/rules/${String(id)}`, changed)).status).toBe(303);
  expect(await ruleNamed('Much')).toMatchObject({
    windowDays: 3,
    windowHours: null,
    groupBy: null,
    isMuted: true,
    filter: null,
  });
  await person.answer(await person.get('/alerts'), `/alerts/rules/${String(id)}/mute`, { muted: 'no' });
  expect(await ruleNamed('Much')).toMatchObject({ isMuted: false });
  const gone = await person.answer(form, `/alerts/rules/${String(id)}/delete`, {});
  expect(gone.headers.get('location')).toBe('/alerts?done=alert-deleted#rules');
  expect((await person.get(`/alerts/rules/${String(id)}`)).status).toBe(404);
  expect((await person.get('/alerts/rules/new?kind=NOTHING')).html).toContain('Choose what to watch.');
});

it('a limit for the cost per completed task is set, described and previewed', async () => {
  const page = await person.get('/alerts/rules/new?kind=COST_PER_SUCCESS');
  expect(page.html).not.toContain('name="provider"');
  const typed = {
    ...{ kind: 'COST_PER_SUCCESS', name: 'Dear tickets', outcome: 'ticket_resolved', value: '0.5' },
    ...{ count: '7', unit: 'days', agent: 'support' },
  };
  const preview = await person.answer(page, '/alerts/rules/new', { ...typed, action: 'preview' });
  expect(preview.html).toContain('Would not have fired in the last 60 days');
  expect(preview.html).not.toContain('Costs by day');
  expect((await person.answer(page, '/alerts/rules/new', typed)).status).toBe(303);
  const { id } = (await ruleNamed('Dear tickets'))!;
  const form = await person.get(`/alerts/rules/${String(id)}`);
  expect(form.html).toContain('Cost per completed ticket_resolved of the last 7 days above $0.50, agent support');
  expect(form.html).toContain('name="outcome" value="ticket_resolved"');
});

it('a preview is shown before anything is saved', async () => {
  const page = await person.get('/alerts/rules/new?kind=THRESHOLD');
  const typed = { kind: 'THRESHOLD', name: 'Spent', metric: 'COST', comparator: 'ABOVE', value: '1', count: '1' };
  const preview = await person.answer(page, '/alerts/rules/new', { ...typed, unit: 'days', action: 'preview' });
  expect(preview.status).toBe(200);
  expect(preview.html).toContain('When it would have fired');
  expect(preview.html).toMatch(/Would (not have fired|have fired once|have fired \d+ times) in the last 60 days/);
  expect(preview.html).toContain('name="name" value="Spent"');
  expect(preview.html).toContain('aria-label="Costs by day, also given as a table below"');
  expect(await ruleNamed('Spent')).toBeUndefined();
  const wrong = await person.answer(page, '/alerts/rules/new', {
    ...typed,
    value: 'x',
    unit: 'days',
    action: 'preview',
  });
  expect(wrong.html).toContain('value must be a number');
});

it('statements are sent to the channels that a person chooses', async () => {
  const without = await person.get('/alerts/statements');
  expect(without.html).toContain('Add an e-mail address, a Slack channel or a webhook');
  const { alertChannelSave } = await service.operate(
    'mutation ($input: AlertChannelSaveInput!) { alertChannelSave(input: $input) { alertChannel { id } } }',
    {
      input: {
        kind: 'WEBHOOK',
        name: 'Finance',
        target: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
      },
    },
  );
  const channel = alertChannelSave.alertChannel.id as string;
  const page = await person.get('/alerts/statements');
  expect(page.html).toContain('Weekly <span class="badge ">off</span>');
  const saved = await person.answer(page, '/alerts/statements', { period: 'MONTH', channel });
  expect([saved.status, saved.location]).toEqual([303, '/alerts/statements?done=statements-set']);
  const { html } = await person.get(saved.location!);
  expect(html).toContain('Monthly <span class="badge good">on</span>');
  expect(html).toMatch(/The next one is sent on <time datetime="\d{4}-\d{2}-01T06:00:00\.000Z"/);
  expect(html).toContain('Weekly <span class="badge ">off</span>');
  const wrong = await person.answer(page, '/alerts/statements', { period: 'WEEK', channel: 'unknown' });
  expect(wrong.html).toContain('channelIds contains an unknown channel');
  await person.answer(page, '/alerts/statements', { period: 'MONTH' });
  expect((await service.operate('{ statementSchedules { period } }')).statementSchedules).toEqual([]);
  await service.operate('mutation ($id: ID!) { alertChannelDelete(input: { id: $id }) { userErrors { message } } }', {
    id: channel,
  });
});

it('a channel is created with a secret that is shown once, tested and rotated, and has a delivery log', async () => {
  const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const empty = await person.get('/alerts/channels');
  expect(empty.html).toContain('No channels');
  const refused = await person.answer(empty, '/alerts/channels', {
    name: 'Inside',
    target: 'https://169.254.169.254/',
  });
  expect([refused.status, refused.html.includes('target is not allowed')]).toEqual([400, true]);
  const made = await person.answer(empty, '/alerts/channels', { name: 'On call', target });
  expect(made.html).toMatch(/>whsec_[A-Za-z0-9+/=]+<\/code>/);
  const listed = await person.get('/alerts/channels');
  expect(listed.html).not.toContain('whsec_');
  expect(listed.html).toContain('On call');
  const [, id] = /action="\/alerts\/channels\/([^/]+)\/test"/.exec(listed.html)!;
  const tested = await person.answer(listed, `/alerts/channels/${id}/test`, {});
  expect(tested.location).toBe('/alerts/channels?done=channel-tested');
  expect(received).toHaveLength(1);
  status = 500;
  const failed = await person.answer(listed, `/alerts/channels/${id}/test`, {});
  expect(failed.html).toContain('The test has not arrived yet');
  status = 200;
  const rotated = await person.answer(listed, `/alerts/channels/${id}/rotate`, {});
  expect(rotated.html).toMatch(/>whsec_/);
  expect(rotated.html).toContain('Deliveries are also signed with the old secret until');
  const log = await person.get(`/alerts/deliveries?channel=${id}`);
  expect(log.html).toContain('>2 messages</h2>');
  expect(log.html).toContain('<span class="badge good">delivered</span>');
  const again = await person.answer(log, `/alerts/deliveries/${received[0]}/again`, {});
  expect(again.location).toBe(`/alerts/deliveries?channel=${id}&done=redelivery-begun`);
  expect(received.filter((one) => one === received[0])).toHaveLength(2);
  const page = await person.get('/alerts/rules/new?kind=CREDITS_LOW');
  expect(page.html).toContain('<span>On call</span>');
  await person.answer(page, '/alerts/rules/new', { kind: 'CREDITS_LOW', name: 'Credits', value: '20', channel: id! });
  expect(await ruleNamed('Credits')).toMatchObject({ channelIds: [id], value: '20' });
  await person.answer(await person.get('/alerts/channels'), `/alerts/channels/${id}/delete`, {});
  expect((await person.get('/alerts/channels')).html).toContain('No channels');
});

it('confirming an e-mail address needs no account, only a click on the button of the page', async () => {
  const empty = await person.get('/alerts/channels');
  const made = await person.answer(empty, '/alerts/channels', {
    kind: 'EMAIL',
    name: 'Finance',
    target: 'finance@example.com',
  });
  expect(made.location).toBe('/alerts/channels?done=channel-to-confirm');
  const listed = await person.get('/alerts/channels?done=channel-to-confirm');
  expect(listed.html).toContain('We sent a confirmation e-mail to the address');
  expect(listed.html).toContain('No alerts are sent until the address is confirmed');
  expect(listed.html).toContain('>Send a new link<');
  expect(listed.html).not.toContain('>Send a test<');
  await expect.poll(() => mailServer.mails.length, PATIENCE).toBe(1);
  const text = mailServer.mails[0]!.text.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
  const link = /http\S+\/confirm-address\S*/.exec(text)![0];
  expect(new URL(link)).toMatchObject({ search: '', hash: expect.stringMatching(/^#[\w-]{43}$/) });

  const holder = visitor(service.url);
  const open = () => holder.submit('/confirm-address', '/confirm-address/open', { token: link });
  const opened = await open();
  expect(opened.html).toContain('Someone asked to send alerts about AI costs to <strong>finance@example.com</strong>');
  expect((await person.get('/alerts/channels')).html).toContain('>Send a new link<');
  const confirmed = await holder.answer(opened, '/confirm-address', {});
  expect(confirmed.html).toContain('The address is confirmed');
  const after = await person.get('/alerts/channels');
  expect(after.html).toContain('<span class="badge good">on</span>');
  expect(after.html).toContain('>Send a test<');
  const dead = await open();
  expect([dead.status, dead.html.includes('This link does not work')]).toEqual([404, true]);
  expect((await holder.answer(opened, '/confirm-address', {})).status).toBe(404);
});

it('an incident is on the overview even while muted, on every chart, and on every page that shows the same figure', async () => {
  await service.rule({ ...ANY_EVENT, name: 'Spent', metric: 'COST', value: '1', muted: true });
  await service.rule({ name: 'Month', kind: 'BUDGET', amount: '1', muted: true });
  await service.judge();
  const { alertEpisodes } = await service.operate(
    '{ alertEpisodes(state: OPEN) { nodes { id sentence path rule { name } figures { name value } } } }',
  );
  const episode = alertEpisodes.nodes.find((node: any) => node.rule.name === 'Spent');
  const overview = (await person.get('/')).html;
  expect(overview).toContain(`<a href="/alerts/episodes/${episode.id}"><b>Spent</b></a>`);
  expect(overview).toMatch(/<b>Spent<\/b><\/a>[^\n]*<span class="badge">muted<\/span>/);
  for (const path of ['/', '/costs', '/margins'])
    expect((await person.get(path)).html).toMatch(/Alert: .*<a href="\/alerts\/episodes\//);
  expect((await person.get('/costs?filter=model:another')).html).not.toContain('Alert: ');
  const alerts = await person.get('/alerts');
  expect(alerts.html).toContain(episode.sentence);
  expect((await person.get(episode.path)).html).toContain('<data value="1.5">$1.50</data>');
  const page = await person.get(`/alerts/episodes/${episode.id}`);
  expect(page.html).toContain('<data value="1.5">$1.50</data>');
  const done = await person.answer(page, `/alerts/episodes/${episode.id}/acknowledge`, {});
  expect(done.location).toBe(`/alerts/episodes/${episode.id}?done=alert-acknowledged`);
  expect((await person.get('/alerts')).html).toContain('acknowledged');
  const comments = `/alerts/episodes/${episode.id}/comments`;
  const added = await person.answer(page, comments, { text: 'A <loop>' });
  expect(added.location).toBe(`/alerts/episodes/${episode.id}?done=comment-added`);
  const commented = await person.get(`/alerts/episodes/${episode.id}`);
  expect(commented.html).toMatch(/A &lt;loop&gt;<\/p>\s*<p class="muted">You, /);
  const [, note] = /comments\/([^/]+)\/delete/.exec(commented.html) ?? [];
  const deleted = await person.answer(commented, `${comments}/${note}/delete`, {});
  expect(deleted.location).toBe(`/alerts/episodes/${episode.id}?done=comment-deleted`);
  expect((await person.get(`/alerts/episodes/${episode.id}`)).html).not.toContain('A &lt;loop&gt;');
  const budgets = await person.get('/alerts/budgets');
  expect(budgets.html).toMatch(
    /<data value="1.5">\$1\.50<\/data><\/a><\/td>\s*<td class="number exceeded" data-label="Used">150\.00%/,
  );
  await service.rule({ name: 'Of no one', kind: 'BUDGET', amount: '1', filter: { agent: 'nobody' }, muted: true });
  await service.rule({ name: 'Just spent', kind: 'BUDGET', amount: '1.5', muted: true });
  const refused = await person.get('/alerts/budgets');
  expect(refused.html).toMatch(/nobody|Of no one/);
  const spent = refused.html.split('<tr>').find((row) => row.includes('Just spent'));
  expect(spent).toContain('100.00%');
  expect(spent).toContain('<span class="badge bad">exceeded</span>');
  for (const id of ['x', '00000000-0000-7000-8000-000000000000'])
    expect((await person.get(`/alerts/episodes/${id}`)).status).toBe(404);
});

it.each(Object.values(PAGES))('the page that an alert without a window links to exists: %s', async (path) => {
  expect((await person.get(path)).status).toBe(200);
});

it('the first steps end with turning on the default alerts for a channel', async () => {
  const page = '/first-steps';
  const builtIn = async () =>
    (
      (await service.operate('{ alertRules { name isBuiltIn isMuted channelIds } }')).alertRules as readonly {
        isBuiltIn: boolean;
        isMuted: boolean;
        channelIds: readonly string[];
      }[]
    ).filter((rule) => rule.isBuiltIn);
  const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/default`;
  status = 200;
  await person.answer(await person.get('/alerts/channels'), '/alerts/channels', { name: 'Default', target });
  const { alertChannels } = await service.operate('{ alertChannels { id name } }');
  const { id } = alertChannels.find(({ name }: { name: string }) => name === 'Default');
  const step = await person.get(page);
  expect(step.html).toContain('Turns on: ');
  expect((await person.answer(step, `${page}/alerts`, { channel: id })).location).toBe(`${page}?done=alerts-on`);
  const rules = await builtIn();
  expect(rules).toHaveLength(3);
  expect(rules.filter(({ isMuted, channelIds }) => !isMuted && channelIds.includes(id)).length).toBeGreaterThan(0);
  expect((await person.get(page)).html).not.toContain('Turns on: ');
});
