/**
 * An owner's tasks in the browser, without a shell: the payment connection, mapping of customers, and negotiated
 * rates.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addCustomer } from '../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../packages/stripe-stand-in/invoices.ts';
import { start, type StripeStandIn } from '../../../packages/stripe-stand-in/server.ts';
import { graphql, post, settle } from '../../support/api-client.ts';
import { type RunningService, runningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { askAs, signedIn, type Visitor } from '../../support/visitor.ts';

let service: RunningService;
let processor: StripeStandIn;
let owner: Visitor;
let organization: string;

const LIVE_KEY = 'rk_live_stand_in';
/** Stripe's format of a key that reads test mode. */
const TEST_KEY = `rk_${'test'}_stand_in`;

beforeAll(async () => {
  processor = await start();
  processor.keys.set(TEST_KEY, []);
  processor.keys.set(`${LIVE_KEY}_narrow`, ['invoices']);
  service = await runningService({ STRIPE_API_BASE: processor.url });
  organization = service.firstRun.organization_id;
  owner = await signedIn(service.url, service.firstRun);
});
afterAll(async () => {
  await service.stop();
  await processor.stop();
});

async function operate(document: string, variables: object = {}): Promise<Record<string, any>> {
  const { body } = await graphql(service.url, service.firstRun.operator_token, document, variables, organization);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data as Record<string, any>;
}

async function ask(query: string, variables: object = {}): Promise<Record<string, any>> {
  const { data, errors } = await askAs(owner, query, variables);
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

async function send(...events: object[]): Promise<void> {
  await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, events);
  await settle(service.url, service.firstRun.operator_token);
}

async function pageWith(path: string, text: string): Promise<string> {
  for (let looks = 0; looks < 200; looks++) {
    const { html } = await owner.get(path);
    if (html.includes(text)) return html;
    await pause(50);
  }
  throw new Error(`${path} never had ${text}`);
}

/** Output of a program that reads from standard input while the service runs. */
function run(command: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, (error, stdout) => (error ? reject(error as Error) : resolve(stdout)));
    child.stdin?.end(input);
  });
}

/** A colleague with a role, who is signed in. */
async function colleague(role: string): Promise<Visitor> {
  const account = { owner_email: `${role}-${randomUUID()}@example.com`, owner_password: 'a password of their own' };
  await operate(
    'mutation ($email: String!, $password: String!, $role: String!) { accountUserCreate(input: { email: $email, password: $password, role: $role }) { accountUser { id } userErrors { message } } }',
    { email: account.owner_email, password: account.owner_password, role },
  );
  return signedIn(service.url, account);
}

describe('/settings/payments', () => {
  const page = '/settings/payments';
  const customers = `${page}/customers`;

  it("shows the processor's reason if it refuses a key, and never shows a key again", async () => {
    expect((await owner.get(page)).html).toContain('Connect Stripe');
    const wrong = await owner.submit(page, `${page}/connect`, { apiKey: `${LIVE_KEY}_wrong`, endUserKey: 'user_id' });
    expect(wrong.status).toBe(400);
    expect(wrong.html).toContain('rejected the key');
    expect(wrong.html).not.toContain('stand_in_wrong');
    const narrow = await owner.submit(page, `${page}/connect`, { apiKey: `${LIVE_KEY}_narrow` });
    expect(narrow.html).toContain('The key lacks a permission');
    expect((await owner.get(page)).html).not.toContain('<dl');
    expect((await (await colleague('admin')).get(page)).html).toContain('Only owners can connect');
  });

  it('connects, syncs, withdraws what a test key had read, and matches customers by hand', async () => {
    await send(
      usageEvent({ user_id: 'acme-42', cost_override: '3' }),
      usageEvent({ user_id: 'bolt', cost_override: '1' }),
    );
    const matched = addCustomer(processor.account, { metadata: { user_id: 'bolt' } });
    const unmatched = addCustomer(processor.account, { name: 'Acme <Inc>', metadata: {} });
    const start = Math.floor(Date.now() / 1000) - 86_400;
    for (const customer of [matched, unmatched])
      addInvoice(processor.account, { customer, lines: [{ amount: 1_000, start, end: start + 43_200 }] });
    const revenue = async (): Promise<{ total: string; lines: Record<string, string> }> => {
      const { window } = await ask(
        '{ window(last: { days: 7 }) { margin { total { totalRevenue } endUsers { nodes { endUserName revenue } } } } }',
      );
      const { total, endUsers } = window.margin;
      return {
        total: total.totalRevenue,
        lines: Object.fromEntries(
          endUsers.nodes.map(({ endUserName, revenue }: Record<string, string>) => [endUserName, revenue]),
        ),
      };
    };

    const typed = await owner.submit(page, `${page}/connect`, { apiKey: TEST_KEY, endUserKey: 'account' });
    expect(typed.location).toBe(`${page}?done=payments-connected`);
    expect((await owner.get(page)).html).toMatch(
      /metadata key <code>account<\/code>[^]* name="endUserKey" value="account"/,
    );
    const secret = await owner.submit(page, `${page}/connect`, { apiKey: `sk_${'test'}_stand_in` });
    expect([secret.status, secret.html.includes('Create a restricted key instead')]).toEqual([400, true]);
    const tested = await owner.submit(page, `${page}/connect`, { apiKey: TEST_KEY, endUserKey: 'user_id' });
    expect(tested.location).toBe(`${page}?done=payments-connected`);
    const test = await pageWith(page, '<span class="badge good">finished</span>');
    expect(test).toContain('<span class="badge test">test</span>');
    expect(test).not.toContain(TEST_KEY);
    expect(test).toContain('1 not linked');
    const match = '<a href="/settings/payments/customers">Link customers</a>';
    expect((await owner.get('/')).html).toContain(match);
    expect((await revenue()).lines).toMatchObject({ bolt: '10' });

    // Switching to a live key removes everything of test mode; the same customers are then read again.
    processor.faults.push({
      times: 1_000,
      path: '/v1/invoices',
      act: ({ send: answer }) => answer({ status: 503, body: '{}' }),
    });
    expect((await owner.submit(page, `${page}/connect`, { apiKey: LIVE_KEY })).status).toBe(400);
    processor.faults.length = 0;
    expect((await owner.submit(page, `${page}/connect`, { apiKey: LIVE_KEY })).location).toContain(
      'payments-connected',
    );
    const live = await pageWith(page, '<span class="badge live">live</span>');
    expect(live).toContain('Replace the key');
    await ask('mutation { revenueSync(input: {}) { run { state } userErrors { message } } }');
    expect((await revenue()).lines).toMatchObject({ bolt: '10', 'acme-42': '0' });
    expect((await owner.submit(page, `${page}/sync`, { full: 'yes' })).location).toBe(`${page}?done=sync-requested`);

    const list = (await owner.get(customers)).html;
    expect(list).toContain('Acme &lt;Inc&gt;');
    expect(list).not.toContain(matched);
    const one = await owner.get(`${customers}/${unmatched}`);
    expect(one.html).toContain('No customer in your events matches');
    const found = await owner.answer(one, `${customers}/${unmatched}/search`, { text: 'ACME' });
    expect(found.html).toContain('aria-label="Link acme-42"');
    const linked = await owner.answer(found, `${customers}/${unmatched}/link`, { externalId: 'acme-42' });
    expect(linked.location).toBe(`${customers}?done=customer-linked`);
    expect((await owner.get(customers)).html).toContain('All customers are linked.');
    expect((await owner.get('/')).html).not.toContain(match);
    expect((await revenue()).lines).toMatchObject({ bolt: '10', 'Acme <Inc>': '10' });
    const other = await owner.submit(`${customers}/${matched}`, `${customers}/${matched}/link`, {
      externalId: 'acme-42',
    });
    expect(other.status).toBe(303);
    const conflicts = (await owner.get(`${customers}?show=all`)).html;
    expect(conflicts).toContain('2 customers are linked to this end user');
    const back = await owner.submit(`${customers}/${matched}`, `${customers}/${matched}/unlink`);
    expect(back.location).toBe(`${customers}/${matched}?done=customer-unlinked`);
    expect((await owner.get(`${customers}/cus_unknown`)).status).toBe(404);
    expect((await (await colleague('member')).get(customers)).status).toBe(403);
  });

  it('uses the address of the service for keys that are connected in GraphQL too', async () => {
    const connect =
      'mutation ($input: RevenueConnectInput!) { revenueConnect(input: $input) { connection { apiBase keyEnding } userErrors { code } } }';
    expect((await ask(connect, { input: { apiKey: 'rk_live_unknown' } })).revenueConnect).toEqual({
      connection: null,
      userErrors: [{ code: 'VALIDATION_ERROR' }],
    });
    expect((await ask(connect, { input: { apiKey: LIVE_KEY } })).revenueConnect).toEqual({
      connection: { apiBase: processor.url, keyEnding: LIVE_KEY.slice(-4) },
      userErrors: [],
    });
    const disconnect =
      'mutation ($ownPassword: String) { revenueDisconnect(input: { ownPassword: $ownPassword }) { connection { disconnectedAt } userErrors { message code } } }';
    await expect(ask(disconnect)).rejects.toThrow('TYPE_OWN_PASSWORD');
    expect((await ask(disconnect, { ownPassword: 'not the one' })).revenueDisconnect).toEqual({
      connection: null,
      userErrors: [{ message: 'Your own password is wrong', code: 'VALIDATION_ERROR' }],
    });
  });

  it("disconnects only if the person's own password is given", async () => {
    const missing = await owner.submit(page, `${page}/disconnect`);
    expect([missing.status, missing.html.includes('Enter your own password')]).toEqual([403, true]);
    const loaded = await owner.get(page);
    const disconnect = async (fields: Record<string, string>) => {
      const ownPassword = service.firstRun.owner_password;
      const cut = await owner.answer(loaded, `${page}/disconnect`, { ownPassword, ...fields });
      expect(cut.location).toBe(`${page}?done=payments-disconnected`);
      expect((await owner.get(page)).html).toContain('<span class="badge bad">disconnected</span>');
    };
    const revenue = async () => {
      const { window } = await ask('{ window(last: { days: 7 }) { margin { total { totalRevenue } } } }');
      return window.margin.total.totalRevenue;
    };
    const before = await revenue();
    expect(before).not.toBe('0');
    await disconnect({});
    expect(await revenue()).toBe(before);
    await disconnect({ withdraw: 'yes' });
    expect(await revenue()).toBe('0');
  });
});

describe('/rates', () => {
  it('prices a waiting model, after previewing the number of events and their cost', async () => {
    expect((await owner.get('/rates/waiting')).html).toContain('No events are waiting for a price.');
    await send(
      usageEvent({ model: 'in-house <1>', input_tokens: 1_000_000, output_tokens: 0 }),
      usageEvent({ model: 'in-house <1>', input_tokens: 500_000, output_tokens: 100_000 }),
      usageEvent({ model: 'our-router', input_tokens: 1_000_000, output_tokens: 0 }),
    );
    const { html } = await owner.get('/rates/waiting');
    expect(html).toContain('3 events are waiting');
    expect((await owner.get('/')).html).toContain('<a href="/rates/waiting">Set a price</a>');
    expect(html).toContain('in-house &lt;1&gt;');
    const [, href] = /href="(\/rates\/price[^"]*)" aria-label="Price in-house/.exec(html)!;
    const typed = { model: 'in-house', provider: '', input: '2', output: '10', effectiveFrom: '2020-01-01' };
    const preview = await owner.submit(href!.replaceAll('&amp;', '&'), '/rates/price/preview', typed);
    expect(preview.html).toContain('<strong>2</strong> of 2 waiting events');
    expect(preview.html).toContain('<strong>$4.00</strong> in total');
    expect((await owner.get('/rates/waiting')).html).toContain('3 events are waiting');
    const set = await owner.answer(preview, '/rates/price');
    expect(set.location).toBe('/rates/negotiated?done=rate-set');
    await settle(service.url, service.firstRun.operator_token);
    expect((await owner.get('/rates/waiting')).html).toContain('1 event is waiting');

    const wrong = await owner.answer(preview, '/rates/price', { input: 'much' });
    expect([wrong.status, wrong.html.includes('input')]).toEqual([400, true]);
    const named = { name: 'our-router', aliasProvider: '', aliasModel: 'in-house <1>' };
    const ofAnother = { ...named, aliasProvider: 'elsewhere' };
    const none = await owner.submit('/rates/price', '/rates/price/alias/preview', ofAnother);
    expect(none.html).toContain('No events are waiting for it.');
    const alias = await owner.submit('/rates/price', '/rates/price/alias/preview', named);
    expect(alias.html).toContain('<strong>1</strong> of 1 waiting event');
    expect((await owner.answer(alias, '/rates/price/alias')).location).toBe('/rates/waiting?done=alias-set');
    await settle(service.url, service.firstRun.operator_token);
    expect((await owner.get('/rates/waiting')).html).toContain('No events are waiting for a price.');
    expect((await owner.get('/')).html).not.toContain('/rates/waiting">Set');
    const { window } = await ask(
      '{ window(last: { days: 7 }) { costsByModel { items { modelSlug totalCost eventCount } } } }',
    );
    expect(window.costsByModel.items).toContainEqual({ modelSlug: 'in-house', totalCost: '6', eventCount: 3 });
  });

  it('lists negotiated rates, ends one, and lets members only read', async () => {
    const page = '/rates/negotiated';
    const list = await owner.get(page);
    expect(list.html).toContain(
      'in-house <span class="muted">any provider</span> <span class="badge good">in force</span>',
    );
    expect(list.html).toContain('our-router');
    const member = await colleague('member');
    const theirs = await member.get(page);
    expect([theirs.status, theirs.html.includes('End rate')]).toEqual([200, false]);
    expect((await member.get('/rates/price')).status).toBe(403);
    expect((await owner.answer(list, `${page}/end`)).location).toBe(`${page}?done=rate-ended`);
    expect((await owner.get(page)).html).toContain('<span class="badge">not in force</span>');
    const forgotten = await owner.answer(list, `${page}/forget`, { name: 'our-router' });
    expect(forgotten.location).toBe(`${page}?done=alias-removed`);
  });
});

describe('/settings/dimensions', () => {
  const page = '/settings/dimensions';

  it('offers the keys found in events; registers, renames and retires dimensions and pairs', async () => {
    await send(
      usageEvent({ cost_override: '1', metadata: { team: 'blue <1>', agent_id: 'support' } }),
      usageEvent({ cost_override: '1', metadata: { team: 'red' } }),
    );
    const offered = await pageWith(page, 'aria-label="Register team"');
    expect(offered).toContain('<td class="number" data-label="Values">2</td>');
    expect(offered).not.toContain('Register agent_id');
    const registered = await owner.submit(page, `${page}/register`, { key: 'team' });
    expect(registered.location).toBe(`${page}?done=dimension-registered`);
    const list = await owner.get(page);
    expect(list.html).not.toContain('aria-label="Register team"');
    const renamed = await owner.answer(list, `${page}/rename`, { label: 'Crew' });
    expect(renamed.location).toBe(`${page}?done=dimension-renamed`);
    expect((await owner.get(page)).html).toContain('Crew <code>team</code>');
    const pair = { one: 'feature', other: 'team' };
    expect((await owner.answer(list, `${page}/pair`, pair)).location).toBe(`${page}?done=pair-registered`);
    const twice = await owner.answer(list, `${page}/pair`, { one: 'team', other: 'team' });
    expect([twice.status, twice.html.includes('keys must be two different keys')]).toEqual([400, true]);
    expect((await owner.submit(page, `${page}/unpair`)).location).toBe(`${page}?done=pair-retired`);
    const retired = await owner.answer(list, `${page}/retire`, { key: 'team' });
    expect(retired.location).toBe(`${page}?done=dimension-retired`);
    expect((await owner.get(page)).html).toContain('aria-label="Register team"');
    const admin = await colleague('admin');
    expect((await admin.submit(page, `${page}/register`, { key: 'plan' })).status).toBe(303);
    const member = await colleague('member');
    expect((await member.get(page)).status).toBe(403);
    expect((await member.post(`${page}/register`, { key: 'mine' })).status).toBe(403);
  });
});

describe('/settings/organization', () => {
  const page = '/settings/organization';

  it('names the organization, and shows the name on every page', async () => {
    const long = await owner.submit(page, `${page}/name`, { name: 'x'.repeat(256) });
    expect([long.status, long.html.includes('name must have 1 to 255 characters')]).toEqual([400, true]);
    const named = await owner.submit(page, `${page}/name`, { name: 'Acme & Söhne' });
    expect(named.location).toBe(`${page}?done=organization-renamed`);
    expect((await owner.get('/sessions')).html).toContain('<span class="organization">Acme &amp; Söhne</span>');
    expect((await owner.get('/audit-log')).html).toContain('Organization renamed');
    const admin = await colleague('admin');
    const theirs = await admin.get(page);
    expect([theirs.status, theirs.html.includes(`${page}/name`)]).toEqual([200, false]);
    expect((await ask('{ organization { name } }')).organization.name).toBe('Acme & Söhne');
  });

  it('sets the fiscal year, and offers it as a period', async () => {
    expect((await owner.get('/margins')).html).not.toContain('fiscal-year');
    const odd = await owner.submit(page, `${page}/fiscal-year`, { firstMonth: '13' });
    expect([odd.status, odd.html.includes('firstMonth must be from 1 (January) to 12 (December)')]).toEqual([
      400,
      true,
    ]);
    const set = await owner.submit(page, `${page}/fiscal-year`, { firstMonth: '4' });
    expect(set.location).toBe(`${page}?done=fiscal-year-set`);
    expect((await owner.get(page)).html).toContain('<option value="4" selected>April</option>');
    expect((await owner.get('/audit-log')).html).toContain('Organization fiscal year set');
    const admin = await colleague('admin');
    expect((await admin.get(page)).html).not.toContain(`${page}/fiscal-year`);
    for (const path of ['/', '/costs', '/margins', '/customers', '/events', '/what-if', '/what-if/plan', '/outcomes']) {
      const { html } = await admin.get(`${path}?window=last-fiscal-year-4`);
      expect([path, html.includes('aria-current="true">Last fiscal year</a>')]).toEqual([path, true]);
      expect(html).toContain('window=fiscal-year-4');
      expect(html).not.toContain('fiscal-year-start');
    }
    expect((await ask('{ organization { fiscalYearStart } }')).organization.fiscalYearStart).toBe(4);
  });

  it('sets the plan, unless only the operator may', async () => {
    const set = await owner.submit(page, `${page}/plan`, { allotment: '5000', softLimit: '4000' });
    expect(set.location).toBe(`${page}?done=plan-set`);
    expect((await owner.get(page)).html).toContain('value="5000"');
    const odd = await owner.submit(page, `${page}/plan`, { allotment: '1.5' });
    expect([odd.status, odd.html.includes('allotment must be a whole number')]).toEqual([400, true]);
    const hosted = await runningService({ NODE_ENV: 'production' });
    try {
      const other = await signedIn(hosted.url, hosted.firstRun);
      const shown = await other.get(page);
      expect(shown.html).toContain('Plans are set by the operator of this service');
      const [, csrf = ''] = /name="csrf_token" value="([^"]+)"/.exec(shown.html)!;
      const refused = await other.post(`${page}/plan`, { csrf_token: csrf, allotment: '9' });
      expect(refused.status).toBe(403);
    } finally {
      await hosted.stop();
    }
  });
});

describe('/first-steps', () => {
  const page = '/first-steps';

  it('leads to a test event, then to a key and a code sample that works with it, and refreshes when the event arrives', async () => {
    const fresh = await sharedService();
    try {
      const person = await signedIn(fresh.url, fresh.firstRun);
      expect((await person.get('/')).html).toContain('<a href="/first-steps">');
      const tested = await person.submit(page, `${page}/test-event`);
      expect(tested.location).toMatch(/^\/first-steps\/waiting\?test=test-/);
      await settle(fresh.url, fresh.firstRun.operator_token);
      const priced = await person.get(tested.location!);
      expect(priced.html).toContain('<dt>Cost</dt><dd>$0.0035</dd>');
      expect(priced.headers.get('refresh')).toBeNull();

      // A test event does not wake the page, because it is not a live event.
      const asleep = await person.get(`${page}/waiting`);
      expect(asleep.html).toContain('No event yet');
      expect(asleep.headers.get('refresh')).toBe('3; url=/first-steps/waiting?look=1');
      const tired = await person.get(`${page}/waiting?look=200`);
      expect([tired.headers.get('refresh'), tired.html.includes('has stopped checking')]).toEqual([null, true]);

      const made = await person.submit(page, `${page}/key`, { name: 'Laptop', unsigned: 'yes' });
      const texts = [...made.html.matchAll(/<pre[^>]*><code>([^]*?)<\/code>/g)].map(([, text]) =>
        text!.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&gt;', '>'),
      );
      expect(texts).toHaveLength(3);
      const key = /KEY='([^']+)'/.exec(texts[0]!)![1]!;
      expect(texts.every((text) => text.includes(key))).toBe(true);
      // A test's port is known only once the service listens, so the addresses are those of its settings.
      const origin = /curl -s (\S+)\/v1/.exec(texts[0]!)![1]!;
      const here = (text: string) => text.replaceAll(origin, fresh.url);
      expect(JSON.parse(await run('sh', ['-s'], here(texts[0]!)))).toMatchObject({ accepted: 1 });
      const node = await run(process.execPath, ['--input-type=module', '-'], here(texts[1]!));
      expect(node).toMatch(/^202 .*"accepted":1/);
      await settle(fresh.url, fresh.firstRun.operator_token);
      const awake = await person.get(`${page}/waiting`);
      expect(awake.html).toContain('Your event is here');
      expect(awake.headers.get('refresh')).toBeNull();
      expect((await person.get(page)).html).toContain('2. Send your own event <span class="badge good">done</span>');
    } finally {
      await fresh.stop();
    }
  });
});
