/** Pages offer only links and forms that the role of the signed-in person may use. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AlertedService, alertedService, ANY_EVENT } from '../../support/alerted-service.ts';
import { post, settle } from '../../support/api-client.ts';
import { signedInMember } from '../../support/member.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

let service: AlertedService;

beforeAll(async () => {
  service = await alertedService();
  await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
    usageEvent({ user_id: 'ada', session_id: 's1', metadata: { agent_id: 'support' }, tokens_in: 3 }),
    usageEvent({ model: 'nobody-knows-it', user_id: 'ben' }),
    usageEvent({ cost_override: '2' }),
  ]);
  await settle(service.url, service.firstRun.operator_token);
  await service.rule({ ...ANY_EVENT, groupBy: 'MODEL' });
  await service.rule({ name: 'Month', kind: 'BUDGET', amount: '1' });
  await service.judge();
  const day = new Date().toISOString().slice(0, 10);
  const owner = await signedIn(service.url, service.firstRun);
  await owner.submit('/notes', '/notes', { day, text: 'New prompt' });
  // One month is closed, and another can be.
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 1)).toISOString().slice(0, 7);
  const { owner_password: ownPassword } = service.firstRun;
  const closed = await owner.submit('/books/closing', '/books/closing/close', { month, ownPassword });
  expect(closed.location).toBe('/books/closing?done=months-closed');
});
afterAll(() => service.stop());

const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
/** Requests that a browser would make concurrently. */
const PARALLEL = 6;

/** Addresses of the same page count once. */
const pageOf = (path: string) =>
  path
    .split(/[?#]/, 1)[0]!
    .replaceAll(ID, ':id')
    .replace(/^\/session\/.*/, '/session');

/** Follows every link from the overview. Returns the status of each page, and the targets of all forms that change something. */
async function crawl(person: Visitor): Promise<{ readonly refused: string[]; readonly forms: string[] }> {
  const refused: string[] = [];
  const forms = new Set<string>();
  const seen = new Set(['/', '/settings']);
  const waiting: { path: string; from: string }[] = [...seen].map((path) => ({ path, from: '' }));
  while (waiting.length > 0) {
    const pages = await Promise.all(
      waiting.splice(0, PARALLEL).map(async (link) => ({ ...link, answer: await person.get(link.path) })),
    );
    for (const { path, from, answer } of pages) {
      if (answer.status >= 400) refused.push(`${answer.status} ${pageOf(path)} on ${from}`);
      const html = answer.html.replaceAll('&amp;', '&');
      for (const [, action] of html.matchAll(/<form[^>]* method="post"[^>]* action="([^"]+)"/g))
        forms.add(pageOf(action!));
      for (const [, target] of html.matchAll(/ href="(\/[^"]*)"/g)) {
        if (/^\/(assets|docs|openapi|sdk)|\.csv\b|^\/exports\/[a-z_-]+\?/.test(target!) || seen.has(pageOf(target!)))
          continue;
        seen.add(pageOf(target!));
        waiting.push({ path: target!, from: pageOf(path) });
      }
    }
  }
  return { refused, forms: [...forms].toSorted() };
}

/** Search, and the sign-in of the person. */
const OWN = ['/customers', '/password', '/search', '/second-factor/start', '/sessions/end', '/sign-out'];
const WRITES = ['/alerts/episodes/:id/comments', '/notes/add', '/views/add'];

it.each([
  ['viewer', OWN],
  ['finance', [...OWN, ...WRITES, '/books/closing/close']],
  ['member', [...OWN, ...WRITES, '/api-keys/new', '/first-steps/key', '/first-steps/test-event']],
] as const)('the role %s may open every link and submit every form that its pages contain', async (role, forms) => {
  expect(await crawl(await signedInMember(service, role))).toEqual({ refused: [], forms: forms.toSorted() });
});

it.each([
  ['admin', []],
  ['owner', ['/books/closing/close', '/books/closing/reopen']],
] as const)('the role %s may open every link, and close or reopen months only as it should', async (role, forms) => {
  const person = role === 'owner' ? await signedIn(service.url, service.firstRun) : await signedInMember(service, role);
  const found = await crawl(person);
  expect(found.refused).toEqual([]);
  expect(found.forms.filter((form) => form.startsWith('/books/closing/'))).toEqual(forms);
});

it('a page that the caller may not open is refused with an error that names the roles that may', async () => {
  const viewer = await signedInMember(service, 'viewer');
  const { status, html } = await viewer.get('/alerts/statements');
  expect([status, html]).toEqual([403, expect.stringContaining('It needs the role owner or admin.')]);
  expect((await viewer.get('/settings')).html).not.toContain('href="/people"');
});
