/** Notes on days: on `/notes`, as marks on charts, within their limits, and who may write, delete and erase them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { graphql, post, settle } from '../../support/api-client.ts';
import { signedInMember } from '../../support/member.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate } from '../../support/telemetry.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';
import { usageEvent } from '../../support/usage-event.ts';

const PAGE = '/notes';
const ADD = '/notes/add';
const PERIOD = '?from=2026-03-01&to=2026-03-31';
const MARCH = 'window(start: "2026-03-01", end: "2026-04-01")';
const TEXT = 'Launched <b>the agent</b> for customer-7; customer-77 follows';

let service: RunningService;
let owner: Visitor;
let member: Visitor;
beforeAll(async () => {
  service = await sharedService();
  owner = await signedIn(service.url, service.firstRun);
  member = await signedInMember(service);
});
afterAll(() => service.stop());

const notes = async () => {
  const { body } = await graphql(
    service.url,
    service.firstRun.live_read_key,
    `{ ${MARCH} { notes { id day text writtenBy } } }`,
  );
  return body.data?.window.notes;
};
const add = async (input: string) =>
  (await operate(service, `mutation { noteAdd(input: ${input}) { note { id } userErrors { code message } } }`)).noteAdd;

it('the notes page adds a note, shows it, and marks its day on charts', async () => {
  const page = await member.get(`${PAGE}${PERIOD}`);
  expect(page.html).toContain('No notes in this period.');
  expect((await member.answer(page, ADD, { day: '2026-03-14', text: TEXT })).location).toBe(`${PAGE}?done=note-added`);
  const [{ id }] = await notes();
  const { html } = await member.get(`${PAGE}${PERIOD}`);
  expect(html).toContain('Launched &lt;b&gt;the agent&lt;/b&gt; for customer-7; customer-77 follows');
  expect(html).toContain('You, ');
  expect((await owner.get(`${PAGE}${PERIOD}`)).html).toMatch(/member-\d+@example\.com, /);
  expect((await owner.get(`${PAGE}?from=2026-03-15&to=2026-03-31`)).html).toContain('No notes in this period.');

  const { live_ingest_key: key, operator_token: operator } = service.firstRun;
  await post(service.url, '/usage-events', key, usageEvent({ event_invoked_at: '2026-03-14T12:00:00Z' }));
  await settle(service.url, operator);
  const overview = (await owner.get(`/${PERIOD}`)).html;
  expect(overview).toContain(`href="/notes?from=2026-03-14&amp;to=2026-03-14#note-${id}"`);
  expect(overview).toContain('<a href="/notes">Notes</a>');
});

it('the notes page lets people delete their own notes, and owners everybody’s', async () => {
  const { note } = await add('{ day: "2026-03-15", text: "The operator’s" }');
  const page = await member.get(`${PAGE}${PERIOD}`);
  expect(page.html).not.toContain(`/notes/${note.id}/delete`);
  const [, own = ''] = /\/notes\/([^/]+)\/delete/.exec(page.html) ?? [];
  const stolen = { ...page, html: page.html.replaceAll(own, note.id) };
  const refused = await member.answer(stolen, `${PAGE}/${note.id}/delete`, {});
  expect([refused.status, refused.html]).toEqual([403, expect.stringContaining('Only owners and admins can delete')]);
  const seen = await owner.get(`${PAGE}${PERIOD}`);
  expect((await owner.answer(seen, `${PAGE}/${note.id}/delete`, {})).location).toBe(`${PAGE}?done=note-deleted`);
  expect(await notes()).toMatchObject([{ day: '2026-03-14' }]);
  expect((await owner.answer(seen, `${PAGE}/${note.id}/delete`, {})).status).toBe(404);
});

it('the notes page lets viewers read, and change nothing', async () => {
  const viewer = await signedInMember(service, 'viewer');
  const page = await viewer.get(`${PAGE}${PERIOD}`);
  expect(page.html).toContain('Another person, ');
  expect(page.html).not.toContain('Add a note');
  expect(page.html).not.toContain('/delete"');
});

it('the notes page refuses an invalid note, and keeps the typed text', async () => {
  for (const [input, message] of [
    ['{ day: "2026-03-14", text: "  " }', 'text must have 1 to 1000 characters'],
    [`{ day: "2026-03-14", text: "${'x'.repeat(1_001)}" }`, 'text must have 1 to 1000 characters'],
    ['{ day: "2026-02-30", text: "x" }', 'day must be a UTC day, such as 2026-11-27'],
    ['{ text: "x" }', 'day or episodeId is required, but not both'],
    ['{ day: "2026-03-14", episodeId: "1", text: "x" }', 'day or episodeId is required, but not both'],
    ['{ episodeId: "1", text: "x" }', 'episodeId: alert not found'],
  ])
    expect(await add(input!)).toMatchObject({ note: null, userErrors: [{ message }] });
  const refused = await owner.answer(await owner.get(PAGE), ADD, { day: '', text: 'Kept <text>' });
  expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('>Kept &lt;text&gt;</textarea>')]);
});

it('the notes page accepts at most a hundred notes on a day, even if they are added at once', async () => {
  for (let note = 0; note < 80; note += 20)
    await operate(
      service,
      `mutation { ${Array.from({ length: 20 }, (_, index) => `n${index}: noteAdd(input: { day: "2026-05-01", text: "x" }) { note { id } }`).join(' ')} }`,
    );
  const added = await Promise.all(Array.from({ length: 30 }, () => add('{ day: "2026-05-01", text: "x" }')));
  expect(added.filter(({ note }) => note !== null)).toHaveLength(20);
  expect(await add('{ day: "2026-05-01", text: "x" }')).toMatchObject({
    note: null,
    userErrors: [{ message: 'A day can have at most 100 notes' }],
  });
});

it('an erased end user is replaced in notes, as a whole word', async () => {
  const pseudonym = `erased-${'0'.repeat(32)}`;
  const { body } = await graphql(
    service.url,
    service.firstRun.operator_token,
    'mutation ($input: AlertingEndUserEraseInput!) { alertingEndUserErase(input: $input) { userErrors { message } } }',
    { input: { externalId: 'customer-7', pseudonym } },
    service.firstRun.organization_id,
  );
  expect(body.data?.alertingEndUserErase).toEqual({ userErrors: [] });
  expect((await notes())[0].text).toBe(`Launched <b>the agent</b> for ${pseudonym}; customer-77 follows`);
});
