/** An export of another product is imported on the page. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { get, settle } from '../../support/api-client.ts';
import { signedInMember } from '../../support/member.ts';
import { PATIENCE } from '../../support/patience.ts';
import { projectPath } from '../../support/project-files.ts';
import { runningService } from '../../support/running-service.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { type PageAnswer, signedIn, type Visitor } from '../../support/visitor.ts';

const PAGE = '/import';

let service: SharedService;
let owner: Visitor;
beforeAll(async () => {
  service = await sharedService();
  owner = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

const upload = (content: string, fields: Record<string, string>): Promise<PageAnswer> =>
  owner.upload(PAGE, PAGE, new File([content], 'export'), fields);

const sample = (name: string): string => readFileSync(projectPath(`test/cli/books/history/${name}`), 'utf8');

function observations(count: number): string {
  const row = { startTime: '2026-09-02T10:00:00Z', model: 'gpt-4o-2024-11-20', usageDetails: { input: 10, output: 1 } };
  return Array.from({ length: count }, (_, index) => JSON.stringify({ id: `many-${index}`, ...row })).join('\n');
}

async function totalCost(): Promise<string> {
  await settle(service.url, service.firstRun.operator_token);
  const range = '?start_date=2026-09-01&end_date=2026-10-01';
  return (await get(service.url, `/cost-data/by-provider${range}`, service.firstRun.live_read_key)).body.total_cost;
}

const counted = (name: string, count: number) =>
  `<tr><th scope="row">${name}</th><td class="number">${count}</td></tr>`;

it('the import page checks a file, books its calls at the prices of their day, and counts none twice', async () => {
  const litellm = sample('litellm.csv');
  const checked = await upload(litellm, { source: 'litellm', check: 'yes' });
  expect(checked.html).toContain('Checked: nothing was booked');
  expect(checked.html).toContain(counted('Calls to send', 1));
  expect(checked.html).toContain('Answered from a cache');
  expect(checked.html).not.toContain('Prices appear');
  expect(await totalCost()).toBe('0');

  const first = await upload(litellm, { source: 'litellm' });
  expect(first.html).toContain(counted('Booked', 1));
  expect(first.html).toContain(counted('Skipped', 1));
  // gpt-4o-2024-11-20: $2.50 a million input tokens, $10 a million output tokens.
  expect(await totalCost()).toBe('0.0035');
  const again = await upload(litellm, { source: 'litellm' });
  expect(again.html).toContain(counted('Already booked', 1));
  expect([first, again].map(({ html }) => html.includes('Prices appear'))).toEqual([true, false]);
  expect(await totalCost()).toBe('0.0035');

  const bodies = await upload(sample('helicone.jsonl'), { source: 'helicone' });
  expect(bodies.html).toContain(counted('Booked', 2));
  expect(await totalCost()).toBe('0.0105');
});

it('the import page skips calls outside the chosen days, and lists why rows are refused', async () => {
  const late = await upload(observations(1), { source: 'langfuse', until: '2026-09-02' });
  expect(late.html).toContain('outside the chosen time');
  expect(late.html).toContain(counted('Booked', 0));
  const broken = await upload(sample('langfuse.jsonl'), { source: 'langfuse' });
  expect(broken.html).toContain('The line is not JSON');
  expect(broken.html).toContain(counted('Refused', 1));
});

it('the import page books nothing of a file that is empty, too large or of an unknown product', async () => {
  const before = await totalCost();
  for (const [content, fields, message] of [
    ['', { source: 'langfuse' }, 'Choose a file'],
    ['\n', { source: 'langfuse' }, 'The file has no rows'],
    [observations(1), { source: 'datadog' }, 'Choose a product'],
    [observations(1), { source: 'langfuse', since: '2026-02-30' }, 'Enter days as YYYY-MM-DD'],
    [observations(10_001), { source: 'langfuse' }, 'The file has more than 10,000 calls'],
    ['1\n'.repeat(50_002), { source: 'langfuse' }, 'The file has more than 50,000 rows'],
    [`{"id":"${'x'.repeat(2 ** 21)}"}`, { source: 'langfuse' }, 'A line is longer than'],
  ] as const) {
    const { html } = await upload(content, fields);
    expect(html).toContain(message);
  }
  expect(await totalCost()).toBe(before);
});

it('the import page counts a failed call as skipped before and after it is sent', async () => {
  const [header = ''] = sample('litellm.csv').split('\n');
  const row = (id: string, tokens: number) =>
    `${id},acompletion,k,0,${tokens},${tokens},0,2026-09-01 10:00:00,,,gpt-4o,m-1,gpt-4o,openai,,,{},False,,[],,,,,failure`;
  const failed = [header, row('failed', 0)].join('\n');
  for (const check of [{ check: 'yes' }, {}] as Record<string, string>[]) {
    const { html } = await upload(failed, { source: 'litellm', ...check });
    expect(html).toContain(counted('Skipped', 1));
    expect(html).toContain('Failed call');
  }
});

it('the import page keeps the chosen product and days in the form', async () => {
  for (const until of ['2026-09-02', '2026-02-30']) {
    const { html } = await upload(observations(1), { source: 'langfuse', since: '2026-09-01', until, check: 'yes' });
    expect(html).toContain('<option value="langfuse" selected>');
    expect(html).toContain('name="since" type="date" value="2026-09-01"');
    expect(html).toContain(`name="until" type="date" value="${until}"`);
  }
});

it('the import page says why it does not read a file that is too large, or a second file', async () => {
  const { html } = await upload('x'.repeat(33 * 2 ** 20), { source: 'langfuse' });
  expect(html).toContain('larger than 32 MiB');
  // On a busy machine, one may be finished before the other one begins.
  const refused = await vi.waitFor(async () => {
    const both = await Promise.all([1, 2].map(() => upload(observations(5000), { source: 'langfuse', check: 'yes' })));
    return both.find((answer) => !answer.html.includes('Checked')) ?? Promise.reject(new Error('None was refused'));
  }, PATIENCE);
  expect(refused.html).toContain('Import in progress: wait until it is finished');
  expect(refused.html).toContain('Try again later');
});

it('the import page skips rows that are nested too deeply, and reads the others', async () => {
  const deep = `{"id":"deep","startTime":"2026-09-03T10:00:00Z","model":"gpt-4o-2024-11-20","usageDetails":{"input":1,"x":${'['.repeat(5000)}${']'.repeat(5000)}}}`;
  const { html } = await upload(`${deep}\n${observations(1)}`, { source: 'langfuse' });
  expect(html).toContain('the row is nested too deeply');
  expect(html).toContain(counted('Refused', 1));
});

it('the import page counts new calls against the rate limit, and books nothing beyond it', async () => {
  // One request of 100 events.
  const limited = await runningService({ INGEST_RATE_LIMIT: '1;w=600' });
  const person = await signedIn(limited.url, limited.firstRun);
  const send = (count: number) =>
    person.upload(PAGE, PAGE, new File([observations(count)], 'export'), { source: 'langfuse' });
  expect((await send(101)).html).toContain('At most 100 calls can be imported in 600 seconds');
  expect((await send(60)).html).toContain(counted('Booked', 60));
  expect((await send(60)).status).toBe(429);
  // Duplicates do not count towards the limit.
  for (let time = 0; time < 2; time++) expect((await send(40)).html).toContain(counted('Already booked', 40));
  await limited.stop();
});

it('only owners and admins can import history', async () => {
  const member = await signedInMember(service);
  const { status, html } = await member.get(PAGE);
  expect([status, html]).toEqual([403, expect.stringContaining('It needs the role owner or admin.')]);
  const body = new FormData();
  body.set('csrf_token', /name="csrf_token" value="([^"]+)"/.exec((await member.get('/sessions')).html)![1]!);
  body.set('source', 'langfuse');
  body.set('file', new File([observations(1)], 'export'));
  const cookie = `session=${member.cookies.get('session')}`;
  const headers = { cookie, origin: service.url, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };
  const refused = await fetch(`${service.url}${PAGE}`, { method: 'POST', headers, body });
  expect(refused.status).toBe(403);
});
