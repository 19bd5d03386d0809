/** Saved views and links to share: fixed periods, who sees and deletes a view, limits, and erasure. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { graphql } from '../../support/api-client.ts';
import { signedInMember } from '../../support/member.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate } from '../../support/telemetry.ts';
import { askAs, signedIn, type Visitor } from '../../support/visitor.ts';

const PAGE = '/views';
const ADD = '/views/add';

let service: RunningService;
let owner: Visitor;
let member: Visitor;
beforeAll(async () => {
  service = await sharedService();
  owner = await signedIn(service.url, service.firstRun);
  member = await signedInMember(service);
});
afterAll(() => service.stop());

/** Opens the page that shares a page. */
async function share(person: Visitor, path: string) {
  const { html } = await person.get(path);
  const [, link = ''] = /<a href="([^"]+)">Share or save<\/a>/.exec(html) ?? [];
  return person.get(link.replaceAll('&amp;', '&'));
}

const linkOn = (html: string) => /<pre class="lines">([^<]+)<\/pre>/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
const add = async (input: string) =>
  (
    await operate(
      service,
      `mutation { savedViewAdd(input: ${input}) { savedView { id name path } userErrors { message } } }`,
    )
  ).savedViewAdd;

it('the saved views page shares a link whose period is fixed, with filters and groups', async () => {
  const path = '/costs?window=month&group=agent,model&filter=provider:openai&compare=week';
  const link = new URL(linkOn((await share(member, path)).html));
  expect(link.pathname).toBe('/costs');
  expect(Object.fromEntries(link.searchParams)).toEqual({
    window: 'month',
    at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
    group: 'agent,model',
    filter: 'provider:openai',
    compare: 'week',
  });
  const days = new URL(linkOn((await share(member, '/margins?from=2026-01-01&to=2026-01-31')).html));
  expect(days.search).toBe('?from=2026-01-01&to=2026-01-31');
  // A completed month stays the same one.
  const month = new URL(linkOn((await share(member, '/?window=last-month')).html));
  expect(month.searchParams.get('at')).toMatch(/-01T00:00:00\.001Z$/);
  const shown = (await owner.get(`/?${month.searchParams.toString()}`)).html;
  expect(shown).toMatch(/\d{4}-\d\d-01 to \d{4}-\d\d-\d\d \(fixed\)/);
});

it('the saved views page saves a view for a person or for everybody, with a period that moves on', async () => {
  const page = await share(member, '/costs?window=7d&group=agent');
  expect((await member.answer(page, ADD, { name: 'Agents', for: 'me' })).location).toBe('/views?done=view-saved');
  await member.answer(page, ADD, { name: 'Our <agents>', for: 'everybody' });
  const { data } = await askAs(member, '{ savedViews { name isShared } }');
  expect(data.savedViews).toEqual([
    { name: 'Agents', isShared: false },
    { name: 'Our <agents>', isShared: true },
  ]);
  const seen = (await member.get(PAGE)).html;
  expect(seen).toContain('<a href="/costs?window=7d&amp;group=agent">Agents</a>');
  const others = await owner.get(PAGE);
  expect(others.html).toContain('>Our &lt;agents&gt;</a>');
  expect(others.html).not.toContain('>Agents</a>');
  const keys = await graphql(service.url, service.firstRun.live_read_key, '{ savedViews { name isShared } }');
  expect(keys.body.data.savedViews).toEqual([{ name: 'Our <agents>', isShared: true }]);
});

it('the saved views page lets viewers read what is shared, and save nothing', async () => {
  const viewer = await signedInMember(service, 'viewer');
  const page = await share(viewer, '/costs');
  expect(linkOn(page.html)).toContain('/costs?window=');
  expect(page.html).toContain('>Our &lt;agents&gt;</a>');
  expect(page.html).not.toContain('Save this view');
  expect(page.html).not.toContain('/delete"');
  const { errors } = await askAs(
    viewer,
    'mutation { savedViewAdd(input: { name: "x", path: "/" }) { savedView { id } } }',
  );
  expect(errors?.[0]?.message).toContain('needs');
});

it('the saved views page lets people delete their own views, and owners those that are shared', async () => {
  const { savedViews } = (await askAs(member, '{ savedViews { id name } }')).data;
  const [own, shared] = ['Agents', 'Our <agents>'].map(
    (name) => savedViews.find((view: { name: string }) => view.name === name).id as string,
  );
  const page = await member.get(PAGE);
  const ownerPage = await owner.get(PAGE);
  expect(ownerPage.html).toContain(`${PAGE}/${shared}/delete`);
  const hidden = { ...ownerPage, html: ownerPage.html.replaceAll(shared!, own!) };
  expect((await owner.answer(hidden, `${PAGE}/${own}/delete`, {})).status).toBe(404);
  const colleague = await signedInMember(service);
  const theirs = await share(colleague, '/costs');
  expect(theirs.html).not.toContain('/delete"');
  const document = `mutation { savedViewDelete(input: { id: "${shared}" }) { userErrors { code message } } }`;
  expect((await askAs(colleague, document)).errors?.[0].message).toBe(
    'Only owners and admins can delete views that other people share',
  );
  expect((await member.answer(page, `${PAGE}/${own}/delete`, {})).location).toBe(`${PAGE}?done=view-deleted`);
  expect((await owner.answer(ownerPage, `${PAGE}/${shared}/delete`, {})).location).toBe(`${PAGE}?done=view-deleted`);
  expect((await askAs(member, '{ savedViews { id } }')).data.savedViews).toEqual([]);
});

it('the saved views page refuses a path that is not a page of this service, and keeps the typed name', async () => {
  for (const [input, message] of [
    ['{ name: " ", path: "/", isShared: true }', 'name must have 1 to 100 characters'],
    ...['https://example.com/', '//example.com/', '/.//example.com', 'costs', `/${'x'.repeat(2_000)}`].map((path) => [
      `{ name: "x", path: "${path}", isShared: true }`,
      'path must be the path and query of a page, with at most 2000 characters',
    ]),
    ['{ name: "x", path: "/" }', 'isShared must be true for a caller who is not a person'],
  ])
    expect(await add(input!)).toMatchObject({ savedView: null, userErrors: [{ message }] });
  for (const [name, path, isValid] of [
    ['n', 'x'.repeat(1_999), true],
    ['n', 'x'.repeat(2_000), false],
    ['n'.repeat(100), '', true],
    ['n'.repeat(101), '', false],
  ] as const) {
    const { savedView } = await add(`{ name: "${name}", path: "/${path}", isShared: true }`);
    expect(savedView !== null).toBe(isValid);
    if (savedView)
      await operate(service, `mutation { savedViewDelete(input: { id: "${savedView.id}" }) { userErrors { code } } }`);
  }
  const page = await share(owner, '/costs');
  const refused = await owner.answer(page, ADD, { name: '<i>'.repeat(40), for: 'everybody' });
  expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('value="&lt;i&gt;')]);
  expect(linkOn(refused.html)).toContain('/costs?');
  expect(linkOn((await owner.get(`${PAGE}?path=https://example.com`)).html)).toMatch(/^http:\/\/[^/]+\/$/);
});

it('the saved views page shares at most a hundred views, even if they are saved at once', async () => {
  const made = await Promise.all(
    Array.from({ length: 110 }, () =>
      add('{ name: "customer-7", path: "/costs?filter=agent:customer-7", isShared: true }'),
    ),
  );
  expect(made.filter(({ savedView }) => savedView !== null)).toHaveLength(100);
  expect(await add('{ name: "x", path: "/", isShared: true }')).toMatchObject({
    savedView: null,
    userErrors: [{ message: 'An organization can share at most 100 views: delete one first' }],
  });
  // A person has a limit of their own.
  const addOwn = async (person: Visitor) =>
    (await askAs(person, 'mutation { savedViewAdd(input: { name: "own", path: "/" }) { userErrors { message } } }'))
      .data.savedViewAdd.userErrors;
  const added: object[] = [];
  for (let count = 0; count < 51; count++) added.push(...(await addOwn(member)));
  expect(added).toEqual([{ message: 'A person can save at most 50 views: delete one first' }]);
  expect(await addOwn(await signedInMember(service))).toEqual([]);
});

it('an erased end user is replaced in names and paths', async () => {
  const pseudonym = `erased-${'0'.repeat(32)}`;
  const document =
    'mutation ($input: AlertingEndUserEraseInput!) { alertingEndUserErase(input: $input) { userErrors { message } } }';
  const input = { externalId: 'customer-7', pseudonym };
  const { url, firstRun } = service;
  const { body } = await graphql(url, firstRun.operator_token, document, { input }, firstRun.organization_id);
  expect(body.data.alertingEndUserErase.userErrors).toEqual([]);
  const { savedViews } = (await askAs(owner, '{ savedViews { name path } }')).data;
  expect(new Set(savedViews.map((view: object) => JSON.stringify(view)))).toEqual(
    new Set([JSON.stringify({ name: pseudonym, path: `/costs?filter=agent%3A${pseudonym}` })]),
  );
});
