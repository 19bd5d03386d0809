/** `books alerts` and `books insights`, for people, and for scripts that stop while there is an incident. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBooks } from '../../../cli/books/run-books.ts';
import { type AlertedService, alertedService, ANY_EVENT } from '../../support/alerted-service.ts';
import { post, postExt, settle } from '../../support/api-client.ts';
import { usageEvent } from '../../support/usage-event.ts';

let service: AlertedService;
beforeAll(async () => {
  service = await alertedService();
});
afterAll(() => service.stop());

const books = async (...words: string[]) => {
  const written = { out: '', err: '' };
  const into = (stream: keyof typeof written) => ({ write: (text: string) => (written[stream] += text) });
  const terminal = { stdout: into('out'), stderr: into('err'), readInput: async () => '' };
  const environment = {
    BOOKS_API_KEY: service.firstRun.live_read_key,
    BOOKS_API_URL: service.url,
    HOME: service.dataDirectory,
  };
  return { code: await runBooks(words, terminal, environment), ...written };
};

it('alerts exits with 2 while there is an incident, muted or not, and with 0 before', async () => {
  expect(await books('alerts')).toMatchObject({ code: 0, out: expect.stringContaining('Alerts') });
  const id = await service.rule({ ...ANY_EVENT, muted: true });
  await service.judge();
  const firing = await books('alerts');
  expect(firing).toMatchObject({ code: 2, err: '' });
  expect(firing.out).toContain('Any event (muted)');
  const asJson = await books('alerts', '--json');
  expect([asJson.code, JSON.parse(asJson.out).items]).toEqual([2, [expect.objectContaining({ state: 'OPEN' })]]);
  expect((await books('alerts', '--csv', '--state', 'closed')).code).toBe(0);
  await service.rule({ ...ANY_EVENT, id, value: '1000000' });
  await service.judge();
  const closed = await books('alerts', '--json', '--state', 'all');
  expect([closed.code, JSON.parse(closed.out).items]).toEqual([0, [expect.objectContaining({ state: 'CLOSED' })]]);
  expect(await books('alerts', '--state', 'odd')).toMatchObject({ code: 2, err: expect.stringContaining('--state') });
});

it('insights prints what the API returns, with links to the pages', async () => {
  await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
    usageEvent({ user_id: 'ann', cost_override: '40', event_invoked_at: '2026-01-12T00:00:00Z' }),
    usageEvent({ user_id: 'ann', cost_override: '5', event_invoked_at: '2026-01-02T00:00:00Z' }),
  ]);
  await settle(service.url, service.firstRun.operator_token);
  const dates = ['--start', '2026-01-08', '--end', '2026-01-15'];
  const { code, out } = await books('insights', ...dates);
  const window = { start_date: '2026-01-08', end_date: '2026-01-15' };
  const { body } = await postExt(service.url, '/insights', service.firstRun.live_read_key, window);
  expect(code).toBe(0);
  expect(body.items.length).toBeGreaterThan(0);
  for (const { sentence, path } of body.items) expect(out).toContain(`- ${sentence}\n  ${service.url}${path}\n`);
  expect(JSON.parse((await books('insights', ...dates, '--json')).out)).toEqual(body);
  const nothing = await books('insights', '--start', '2025-01-08', '--end', '2025-01-15');
  expect(nothing.out).toContain('No insights in this period');
});
