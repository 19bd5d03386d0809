/** Exports as people get them: on the command line and on the page. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runBooks } from '../../cli/books/run-books.ts';
import { getExport } from '../support/get-export.ts';
import { readParquet } from '../support/read-parquet.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../support/service-with-events.ts';
import { usageEvent } from '../support/usage-event.ts';
import { signedIn, type Visitor } from '../support/visitor.ts';

let service: ServiceWithEvents;
let owner: Visitor;
let folder: string;
beforeAll(async () => {
  service = await serviceWithEvents([
    usageEvent({ event_invoked_at: '2026-03-01T10:00:00Z', user_id: 'ann', cost_override: '0.000000000000001' }),
  ]);
  owner = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'books-export-'));
  return () => rmSync(folder, { recursive: true });
});

async function books(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const into = (stream: keyof typeof written) => ({ write: (text: string) => (written[stream] += text) });
  const environment = {
    BOOKS_API_KEY: service.firstRun.live_read_key,
    BOOKS_API_URL: service.url,
    XDG_CONFIG_HOME: folder,
  };
  const terminal = { stdout: into('out'), stderr: into('err'), readInput: async () => '' };
  return { code: await runBooks(words, terminal, environment), ...written };
}

const sent = (path: string) => getExport(service.url, path, service.firstRun.live_read_key);

it('the command line prints the file that the service sends', async () => {
  const { text } = await sent('charge_day?period=2026-03&grain=customer');
  expect(text).toContain('0.000000000000001');
  expect(await books('export', 'charge_day', '--period', '2026-03', '--grain', 'customer')).toEqual({
    code: 0,
    out: text,
    err: '',
  });
});

it('the command line and the page export both versions of FOCUS', async () => {
  for (const [version, column] of [
    ['1.2', 'ProviderName'],
    ['1.4', 'ServiceProviderName'],
  ] as const) {
    const { text } = await sent(`focus?period=2026-03&version=${version}`);
    expect(text.split('\r\n')[0]!.split(',')).toContain(column);
    expect((await books('export', 'focus', '--period', '2026-03', '--version', version)).out).toBe(text);
    expect((await owner.get(`/exports/focus?period=2026-03&grain=sku&version=${version}&format=csv`)).html).toBe(text);
  }
});

it('the command line writes Parquet to a file, and nothing if it is refused', async () => {
  const file = join(folder, 'margins.parquet');
  const words = ['export', 'margin_day', '--format', 'parquet'];
  expect(await books(...words)).toMatchObject({ code: 2, err: expect.stringContaining('--output') });
  expect(await books(...words, '--period', '2026-03', '--output', file)).toMatchObject({ code: 0, err: '' });
  const bytes = Uint8Array.from(readFileSync(file)).buffer;
  expect(await readParquet(bytes)).toMatchObject([{ end_user: 'ann', cost: '0.000000000000001' }]);
  const refused = await books(...words, '--period', '9000-01', '--output', join(folder, 'future.parquet'));
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('must not begin in the future') });
  expect(readdirSync(folder)).toEqual(['margins.parquet']);
});

it('the page offers every table, and downloads it', async () => {
  const { html } = await owner.get('/exports');
  for (const table of ['charge_day', 'revenue_day', 'margin_day', 'rate_history', 'end_user', 'focus'])
    expect(html).toContain(`action="/exports/${table}"`);
  expect((await owner.get('/exports/charge_day?period=2026-03&grain=sku&format=csv')).html).toBe(
    (await sent('charge_day?period=2026-03')).text,
  );
  expect(await owner.get('/exports/charge_day?period=soon')).toMatchObject({
    status: 400,
    html: expect.stringContaining('period must be a month'),
  });
});
