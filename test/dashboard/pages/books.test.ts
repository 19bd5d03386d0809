/**
 * The pages about the books: verification, closing, set-aside records and personal data. None of the actions works
 * without the password.
 */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addCustomer, put, find } from '../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../packages/stripe-stand-in/invoices.ts';
import { start, type StripeStandIn } from '../../../packages/stripe-stand-in/server.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import { get, graphql, post, settle } from '../../support/api-client.ts';
import { freshTarget } from '../../support/fresh-database.ts';
import { type RunningService, runningService, urlOf } from '../../support/running-service.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { askAs, type PageAnswer, signedIn, type Visitor } from '../../support/visitor.ts';

let service: RunningService;
let owner: Visitor;
let attribution: ConnectionTarget;
let processor: StripeStandIn;
let organization: string;

beforeAll(async () => {
  attribution = await freshTarget('attribution');
  service = await runningService({ ATTRIBUTION_DATABASE_URL: urlOf(attribution) });
  processor = await start();
  organization = service.firstRun.organization_id;
  owner = await signedIn(service.url, service.firstRun);
  const sent = await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
    usageEvent({ user_id: 'ada@example.com', cost_override: '2.5', session_id: 'of-ada' }),
    usageEvent({ user_id: 'ben', cost_override: '1' }),
  ]);
  expect(sent.body).toMatchObject({ accepted: 2 });
  await settle(service.url, service.firstRun.operator_token);
});
afterAll(async () => {
  await service.stop();
  await processor.stop();
});

const rows = (sql: string, parameters: unknown[] = []) =>
  withClient(attribution, async (client) => (await client.query(sql, parameters)).rows as Record<string, unknown>[]);

const operate = async (document: string, variables: object = {}) => {
  const { body } = await graphql(service.url, service.firstRun.operator_token, document, variables, organization);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
};

async function waitFor(look: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 200; looks++) {
    if (await look()) return;
    await pause(100);
  }
  throw new Error('It did not come to that');
}

const password = () => ({ ownPassword: service.firstRun.owner_password });
const act = (page: string, action: string, fields: Record<string, string>): Promise<PageAnswer> =>
  owner.submit(page, action, fields);

/** A colleague with a role, who is signed in. */
async function colleague(role: string): Promise<Visitor> {
  const account = { owner_email: `${role}-${randomUUID()}@example.com`, owner_password: 'a password of their own' };
  await operate(
    'mutation ($email: String!, $password: String!, $role: String!) { accountUserCreate(input: { email: $email, password: $password, role: $role }) { accountUser { id } userErrors { message } } }',
    { email: account.owner_email, password: account.owner_password, role },
  );
  return signedIn(service.url, account);
}

describe('an action that closes, erases or deletes', () => {
  it.each([
    'costsClose(input: { through: "2020-01"@ }) { userErrors { field message code } }',
    'costsReopen(input: { from: "2020-01"@ }) { userErrors { field message code } }',
    'revenueClose(input: { through: "2020-01"@ }) { userErrors { field message code } }',
    'revenueReopen(input: { from: "2020-01"@ }) { userErrors { field message code } }',
    'revenueDisconnect(input: { withdrawRecords: false@ }) { userErrors { field message code } }',
    'endUserErase(input: { externalId: "nobody", limit: 0@ }) { userErrors { field message code } }',
    'endUserErasureStart(input: { externalId: "nobody"@ }) { userErrors { field message code } }',
    `revenueEndUserErase(input: { externalId: "nobody", pseudonym: "erased-${'0'.repeat(32)}"@ }) { userErrors { field message code } }`,
    'metadataRetentionSet(input: { months: 12@ }) { userErrors { field message code } }',
    'organizationDelete(input: { id: "ID"@ }) { userErrors { field message code } }',
  ])('needs the password in a session: %s', async (field) => {
    const fresh = await signedIn(service.url, service.firstRun);
    const mutation = (argument: string) => `mutation { ${field.replace('ID', organization).replace('@', argument)} }`;
    const missing = await askAs(fresh, mutation(''));
    expect(missing.errors?.[0]?.extensions).toMatchObject({
      code: 'FORBIDDEN',
      details: { actionHint: 'TYPE_OWN_PASSWORD' },
    });
    const wrong = await askAs(fresh, mutation(', ownPassword: "a guess"'));
    expect(Object.values(wrong.data)).toEqual([
      {
        userErrors: [
          { field: ['input', 'ownPassword'], message: 'Your own password is wrong', code: 'VALIDATION_ERROR' },
        ],
      },
    ]);
  });

  it('needs a password, which cannot be guessed with a copied session, and is only for owners', async () => {
    const copy = await signedIn(service.url, service.firstRun);
    const codes: string[] = [];
    for (let count = 0; count < 14; count++)
      codes.push(
        (
          await askAs(
            copy,
            `mutation { costsClose(input: { through: "2020-01", ownPassword: "guess ${count}" }) { closing { closedUntil } userErrors { message } } }`,
          )
        ).errors?.[0]?.extensions.code,
      );
    expect(codes).toContain('RATE_LIMIT_EXCEEDED');
    const right = `mutation { costsClose(input: { through: "2020-01", ownPassword: "a password of their own" }) { closing { closedUntil } userErrors { message } } }`;
    expect((await askAs(await colleague('admin'), right)).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    expect((await operate('{ costClosing { closedUntil } }')).costClosing.closedUntil).toBeNull();
  });
});

describe('/books', () => {
  it('shows differences and remedies, warns on the overview, and verifies on request', async () => {
    const day = new Date().toISOString().slice(0, 10);
    await rows(
      `insert into book_difference (organization_id, day, what, detail, since, verified_at)
       values ($1, $2, 'facts = ledger', 'the ledger has <more>', now(), now())`,
      [organization, day],
    );
    await rows(
      "insert into refused_fact (organization_id, id, body, reason, refused_at) values ($1, 'a/0', '{}', 'numeric field overflow', now())",
      [organization],
    );
    const { html } = await owner.get('/books');
    expect(html).toContain('<span class="badge bad">differences found</span>');
    expect(html).toContain('Every ledger cost is in the breakdowns <span class="badge bad">differs</span>');
    expect(html).toContain('the ledger has &lt;more&gt;');
    expect((await (await colleague('admin')).get('/books')).html).toContain('Owners can rebuild the breakdowns');
    expect((await act('/books', '/books/rebuild', {})).location).toBe('/books?done=rebuild-begun');
    await waitFor(async () =>
      (await owner.get('/books')).html.includes('Rebuilding the breakdowns <span class="badge good">finished</span>'),
    );
    const sentence =
      '1 cost could not be attributed and is missing from breakdowns, trends and margins. The ledger contains it.';
    expect(html).toContain(sentence);
    expect((await owner.get('/')).html).toContain(sentence);
    const window = 'window(last: { days: 1 })';
    expect((await operate(`{ ${window} { warnings { type count message } } }`)).window.warnings).toEqual([
      { type: 'facts_set_aside', count: 1, message: sentence },
    ]);
    await rows('delete from refused_fact');
    expect((await owner.get('/')).html).not.toContain(sentence);

    expect((await act('/books', '/books/verify', {})).location).toBe('/books?done=verification-begun');
    // The result is stored before the operation ends.
    await waitFor(async () => {
      const page = (await owner.get('/books')).html;
      return (
        page.includes('<span class="badge good">verified</span> No differences') &&
        page.includes('Verifying the books <span class="badge good">finished</span>')
      );
    });
    const clean = await owner.get('/books?done=verification-begun');
    expect(clean.html).toContain('Verification has started');
    expect(clean.html).not.toContain('not verified yet');
  });

  it("cancels and resumes long operations, but only those of the person's organization", async () => {
    const [id, foreign] = [randomUUID(), randomUUID()];
    for (const [operation, of] of [
      [id, organization],
      [foreign, randomUUID()],
    ])
      await rows(
        `insert into operation (organization_id, id, kind, parameters, done, total, state, attempt, last_error, next_step_at, started_at, updated_at)
         values ($1, $2, 'of-the-test', '{}', 1200, 4800, 'running', 0, 'a <fault>', now(), now(), now())`,
        [of, operation],
      );
    const stateOf = async (operation: string) =>
      (await rows('select state from operation where id = $1', [operation]))[0]?.['state'];
    const { html } = await owner.get('/books');
    expect(html).toContain('<progress value="1200" max="4800"');
    expect(html).toContain('1,200 of 4,800 steps');
    expect(html).toContain('a &lt;fault&gt;');
    expect(html).not.toContain(foreign);
    const admin = await (await colleague('admin')).get('/books');
    expect([admin.status, admin.html.includes('/books/operations/cancel')]).toEqual([200, false]);
    expect((await (await colleague('member')).get('/books')).status).toBe(403);

    const cancel = (operation: string) =>
      act('/books', '/books/operations/cancel', { id: operation, subgraph: 'attribution' });
    expect((await cancel(foreign)).status).toBe(404);
    expect(await stateOf(foreign)).toBe('running');
    expect((await cancel(id)).location).toBe('/books?done=operation-cancelled');
    expect(await stateOf(id)).toBe('cancelled');
    const resumed = await act('/books', '/books/operations/resume', { id, subgraph: 'attribution' });
    expect([resumed.location, await stateOf(id)]).toEqual(['/books?done=operation-resumed', 'running']);
    await rows('delete from operation where id = any($1::uuid[])', [[id, foreign]]);
  });
});

describe('/books/closing', () => {
  it('closes months with the password, shows their corrections, and reopens them', async () => {
    const page = '/books/closing';
    const last = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1, 1));
    const month = last.toISOString().slice(0, 7);
    expect((await owner.get(page)).html).toContain('No month is closed.');
    const refused = await act(page, `${page}/close`, { month, ownPassword: 'wrong' });
    expect([refused.status, refused.html.includes('Your own password is wrong')]).toEqual([400, true]);
    expect((await act(page, `${page}/close`, { month, ...password() })).location).toBe(`${page}?done=months-closed`);
    await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
      usageEvent({ event_invoked_at: new Date(last.getTime() + 86_400_000).toISOString(), cost_override: '0.25' }),
    ]);
    await settle(service.url, service.firstRun.operator_token);
    const { html } = await owner.get(page);
    expect(html).toMatch(/Corrections in [\s\S]*<td class="number">\$0\.25<\/td><td class="number">1<\/td>/);
    expect(html.match(/<span class="badge good">closed<\/span> through/g)).toHaveLength(2);
    expect(html).toMatch(
      new RegExp(`href="/books/closing/statement\\?month=${month}">[^<]*</a> <span class="badge good">closed<`),
    );
    const admin = await (await colleague('admin')).get(page);
    expect([admin.status, admin.html.includes('Only owners and finance can close months')]).toEqual([200, true]);
    expect((await act(page, `${page}/reopen`, { month, ...password() })).location).toBe(`${page}?done=months-reopened`);
    expect((await operate('{ revenueClosing { closedUntil } }')).revenueClosing.closedUntil).toMatch(`${month}-01`);
    // Only costs are closed: both can be closed, both can be reopened, and the statement is not final.
    await operate(
      'mutation ($through: String!) { costsClose(input: { through: $through }) { userErrors { message } } }',
      {
        through: month,
      },
    );
    const uneven = (await owner.get(page)).html;
    expect(uneven).toContain('Costs and revenue are closed through different months');
    expect(uneven).toMatch(
      new RegExp(`href="/books/closing/statement\\?month=${month}">[^<]*</a> <span class="badge ">open<`),
    );
    for (const action of ['close', 'reopen']) {
      const form = uneven.split(`action="${page}/${action}"`)[1]?.split('</form>')[0] ?? '';
      expect(form).toContain(`<option value="${month}"`);
    }
    await act(page, `${page}/reopen`, { month, ...password() });
  });
});

describe('/books/set-aside', () => {
  it('lists objects that could not be processed, with reasons, and reads them again', async () => {
    const page = '/books/set-aside';
    expect((await owner.get(page)).html).toContain('Stripe is not connected');
    const { account } = processor;
    const customer = addCustomer(account, { metadata: { user_id: 'ben' } });
    const period = { start: 1_767_225_600, end: 1_769_904_000 };
    const invoice = addInvoice(account, { customer, lines: [{ amount: 10_000, ...period }] });
    const lines = account.lines.get(invoice)!;
    account.lines.set(invoice, [{ ...lines[0]!, period: null } as never]);
    put(account, 'invoices', { ...find(account, 'invoices', invoice) }, null);
    await operate(
      'mutation ($input: RevenueConnectInput!) { revenueConnect(input: $input) { connection { id } userErrors { message } } revenueSync(input: {}) { run { id } userErrors { message } } }',
      { input: { apiKey: 'rk_live_stand_in', apiBase: processor.url } },
    );
    await waitFor(async () => (await owner.get(page)).html.includes(invoice));
    const { html } = await owner.get(page);
    expect(html).toContain('<span class="badge">unreadable</span>');
    expect(html).toContain('<span class="badge bad">1</span>');
    account.lines.set(invoice, lines);
    expect((await act(page, `${page}/retry`, {})).location).toBe(`${page}?done=sync-begun`);
    await waitFor(async () => (await owner.get(page)).html.includes('<span class="badge good">nothing</span>'));
  });
});

describe('/books/not-understood', () => {
  it('lists input that is not understood, and is linked from the overview', async () => {
    expect((await owner.get('/books/not-understood')).html).toContain('All events were understood.');
    expect((await owner.get('/')).html).not.toContain('/books/not-understood');
    const sent = await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
      usageEvent({ model: 'in-house <1>', provider: 'acme cloud', userId: 'kim' }),
      usageEvent({ model: 'claude-sonnet-4-5', provider: 'anthropic', cache_read_input_tokens: 10 }),
    ]);
    await settle(service.url, service.firstRun.operator_token);
    const { html, status } = await owner.get('/books/not-understood');
    expect(status).toBe(200);
    for (const text of ['in-house &lt;1&gt;', 'unknown provider', 'userId', 'user_id', 'claude-sonnet-4-5'])
      expect(html).toContain(text);
    for (const { event_id: id } of sent.body.results) expect(html).toContain(id);
    expect((await owner.get('/')).html).toContain(
      '1 cost is estimated: its token counts can be read in more than one way, or part of the price is not known. <a href="/books/not-understood">View details</a>',
    );
  });
});

describe('/personal-data', () => {
  it('erases an end user after a confirmation with the password, and proves the erasure', async () => {
    const page = '/personal-data';
    const externalId = 'ada@example.com';
    const byModel = () => get(service.url, '/cost-data/by-model', service.firstRun.live_read_key);
    const before = (await byModel()).body;
    const confirmation = await act(page, `${page}/erase`, { externalId });
    expect(confirmation.html).toContain('1 priced event of $2.50');
    expect(confirmation.html).toContain('This cannot be undone');
    const confirm = (fields: Record<string, string>) =>
      owner.answer(confirmation, `${page}/erase/confirm`, { externalId, ...fields });
    expect((await confirm({})).status).toBe(403);
    const wrong = await confirm({ ownPassword: 'wrong' });
    expect([wrong.status, wrong.html.includes('Your own password is wrong')]).toEqual([400, true]);
    expect((await operate('{ endUserErasures { nodes { id } } }')).endUserErasures.nodes).toEqual([]);
    expect((await confirm(password())).location).toBe(`${page}?done=erasure-begun`);
    await waitFor(
      async () =>
        (await operate('{ endUserErasures { nodes { finishedAt } } }')).endUserErasures.nodes[0]?.finishedAt !== null,
    );
    await settle(service.url, service.firstRun.operator_token);
    expect((await byModel()).body).toEqual(before);
    const ofAda = await get(
      service.url,
      '/end-user-costs/ada@example.com/by-model?start_date=2020-01-01&end_date=2100-01-01',
      service.firstRun.live_read_key,
    );
    expect(ofAda.status).toBe(404);
    const { html } = await owner.get(page);
    expect(html).toMatch(/<code class="id">[0-9a-f]{64}<\/code>/);
    expect(html).not.toContain(externalId);
    expect((await act(page, `${page}/proof`, { externalId })).html).toContain('Yes. Anyone who knows this id');
    expect((await act(page, `${page}/proof`, { externalId: 'eve' })).html).toContain('No. There is no erasure');
    expect((await owner.get('/books')).html).toContain('Erasing a customer <span class="badge good">finished</span>');
    expect((await (await colleague('admin')).get(page)).status).toBe(403);
  });

  it('keeps metadata for a number of months, or for ever', async () => {
    const page = '/personal-data';
    await operate(
      'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }',
    );
    const set = (fields: Record<string, string>) => act(page, `${page}/retention`, fields);
    expect((await set({ months: '13' })).status).toBe(403);
    expect((await set({ months: 'many', ...password() })).status).toBe(400);
    expect((await set({ months: '13', ...password() })).location).toBe(`${page}?done=retention-set`);
    expect((await owner.get(page)).html).toContain(
      'Metadata is deleted 13 months after its event or outcome was received, except <code>team</code>.',
    );
    expect((await set({ months: '', ...password() })).location).toBe(`${page}?done=retention-set`);
    expect((await owner.get(page)).html).toContain('Metadata of events and outcomes is kept indefinitely');
  });

  it('deletes the organization with its name and the password, and signs everybody out at once', async () => {
    const account = { owner_email: `owner-${randomUUID()}@example.com`, owner_password: 'a password of the other' };
    const {
      organizationCreate: { createdOrganization: made },
    } = (
      await graphql(
        service.url,
        service.firstRun.operator_token,
        'mutation ($email: String!, $password: String!) { organizationCreate(input: { name: "Leaving", ownerEmail: $email, ownerPassword: $password }) { createdOrganization { organization { id } } userErrors { message code } } }',
        { email: account.owner_email, password: account.owner_password },
      )
    ).body.data;
    const { id } = made.organization;
    const created = await graphql(
      service.url,
      service.firstRun.operator_token,
      'mutation { apiKeyCreate(input: { name: "k", environment: "live", preset: "read" }) { createdApiKey { secret } userErrors { message } } }',
      {},
      id,
    );
    const key = created.body.data.apiKeyCreate.createdApiKey.secret as string;
    const leaving = await signedIn(service.url, account);
    const page = '/personal-data/organization';
    const remove = (fields: Record<string, string>) => leaving.submit(page, page, fields);
    const ownPassword = account.owner_password;
    const misnamed = await remove({ name: 'Staying', ownPassword });
    expect([misnamed.status, misnamed.html.includes('The name does not match')]).toEqual([400, true]);
    expect((await remove({ name: 'Leaving' })).status).toBe(403);
    expect((await remove({ name: 'Leaving', ownPassword: 'wrong' })).status).toBe(400);
    expect((await get(service.url, '/ping', key)).status).toBe(200);
    expect((await remove({ name: 'Leaving', ownPassword })).location).toBe('/sign-in?done=organization-deleted');
    expect(leaving.cookies.has('session')).toBe(false);
    expect((await leaving.get('/')).location).toBe('/sign-in');
    expect((await get(service.url, '/ping', key)).status).toBe(401);
    const late = await graphql(
      service.url,
      service.firstRun.operator_token,
      'mutation { apiKeyCreate(input: { name: "k", environment: "live", preset: "read" }) { createdApiKey { secret } userErrors { message } } }',
      {},
      id,
    );
    expect(late.body.errors[0].message).toContain('The organization is deleted');
  });
});

describe('/books/closing/statement', () => {
  const month = '2026-01';
  const statement = `/books/closing/statement?month=${month}`;

  it('shows profit and loss by customer and model, and what to settle, and prints the hash of its CSV', async () => {
    await act('/books/closing', '/books/closing/reopen', { month: '2026-01', ...password() });
    await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
      usageEvent({ event_invoked_at: '2026-01-10T00:00:00Z', cost_override: '1.114', user_id: 'ann' }),
      usageEvent({ event_invoked_at: '2026-01-11T00:00:00Z', cost_override: '2.223', user_id: 'bob' }),
      usageEvent({ event_invoked_at: '2026-01-12T00:00:00Z', cost_override: '0.333' }),
      usageEvent({ event_invoked_at: '2026-01-13T00:00:00Z', model: 'nobody-prices-this', user_id: 'ann' }),
    ]);
    await settle(service.url, service.firstRun.operator_token);
    const { status, html } = await owner.get(statement);
    expect(status).toBe(200);
    expect(html).toContain('<span class="badge">open</span> Figures can still change.');
    expect(html).toContain('1 event has no price and counts as $0. <a href="/rates/waiting">Set a price</a>');
    expect(html).toContain('<data value="3.67">$3.67</data>');
    const csv = await owner.get(`/books/closing/statement.csv?month=${month}`);
    const rows = csv.html.trim().split('\r\n');
    expect(rows).toContain('customer,ann,ann,0,1.114,-1.114');
    expect(rows).toContain('unassigned,,,0,0.333,-0.333');
    expect(rows).toContain('total,,,0,3.67,-3.67');
    expect(rows).toContain('model,openai,gpt-4o,,3.67,');
    expect(html).toMatch(/<th scope="row" class="name">gpt-4o<\/th><td data-label="Provider">openai<\/td>/);
    expect(html).toContain(createHash('sha256').update(csv.html).digest('hex'));
    expect((await owner.get('/books/closing/statement?month=2999-01')).status).toBe(400);
  });

  it('covers a week from Monday, without saying whether it is open or closed', async () => {
    // 5 January 2026 was a Monday: the events of the 10th and the 11th are in its week.
    const { status, html } = await owner.get('/books/closing/statement?week=2026-01-05');
    expect(status).toBe(200);
    expect(html).toContain('Statement for the week of 5 Jan 2026');
    expect(html).toContain('<data value="3.337">$3.34</data>');
    expect(html).not.toContain('Figures can still change.');
    const csv = await owner.get('/books/closing/statement.csv?week=2026-01-05');
    expect(csv.html).toContain('week,2026-01-05,,,,');
    expect(html).toContain(createHash('sha256').update(csv.html).digest('hex'));
    for (const wrong of ['2026-01-06', '2026-02-30', '2999-01-07', 'x'])
      expect((await owner.get(`/books/closing/statement?week=${wrong}`)).status).toBe(400);
    expect((await owner.get('/books/closing')).html).toMatch(/statement\?week=\d{4}-\d\d-\d\d">Last week</);
  });

  it('the statement of a closed month names who closed it, and stays the same', async () => {
    const digest = async () => /<code class="id">([0-9a-f]{64})<\/code>/.exec((await owner.get(statement)).html)?.[1];
    await act('/books/closing', '/books/closing/close', { month, ...password() });
    const before = await digest();
    expect(before).toBeDefined();
    await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
      usageEvent({ event_invoked_at: '2026-01-14T00:00:00Z', cost_override: '9', user_id: 'bob' }),
    ]);
    await settle(service.url, service.firstRun.operator_token);
    const { html } = await owner.get(statement);
    expect(html).toMatch(/<span class="badge good">closed<\/span> Closed on .* by owner@example\.com\./);
    expect(html).toContain('<data value="3.67">$3.67</data>');
    expect(await digest()).toBe(before);
    // The late cost is a correction in the first open month.
    const february = '/books/closing/statement?month=2026-02';
    const csv = await owner.get('/books/closing/statement.csv?month=2026-02');
    expect(csv.html.split('\r\n')).toContain('correction,2026-01,,,9,');
    expect((await owner.get(february)).html).toMatch(/corrections of closed months[^]*<data value="9">\$9\.00<\/data>/);
    await act('/books/closing', '/books/closing/reopen', { month, ...password() });
  });
});
