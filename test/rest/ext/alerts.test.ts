import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBooks } from '../../../cli/books/run-books.ts';
import { type AlertedService, alertedService, ANY_EVENT } from '../../support/alerted-service.ts';
import { postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';

let service: AlertedService;
beforeAll(async () => {
  service = await alertedService();
});
afterAll(() => service.stop());
const send = (body: unknown, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/alerts', key, body);
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

describe('200', () => {
  it('is what is open, whether anyone is told of it or not; books ends with 2 while something is, and with 0 before', async () => {
    expect((await send({})).body).toEqual({
      total_count: 0,
      page_info: { has_next_page: false, end_cursor: null },
      items: [],
    });
    expect(await books('alerts')).toMatchObject({ code: 0, out: expect.stringContaining('Alerts') });
    const id = await service.rule({ ...ANY_EVENT, muted: true });
    await service.judge();
    const { status, body } = await send({ state: 'all', rule_id: id, first: 1 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      total_count: 1,
      items: [{ kind: 'THRESHOLD', state: 'OPEN', rule_id: id, rule: { name: 'Any event', is_muted: true } }],
    });
    expect((await send({ state: 'closed' })).body.total_count).toBe(0);
    const firing = await books('alerts');
    expect(firing).toMatchObject({ code: 2, err: '' });
    expect(firing.out).toContain('Any event (muted)');
    const asJson = await books('alerts', '--json');
    expect([asJson.code, JSON.parse(asJson.out).items[0].id]).toEqual([2, body.items[0].id]);
    expect((await books('alerts', '--csv', '--state', 'closed')).code).toBe(0);
    expect(await books('alerts', '--state', 'odd')).toMatchObject({ code: 2, err: expect.stringContaining('--state') });
  });
});

describe('400', () => {
  it.each([
    [{ state: 'odd' }, /state must be one of/],
    [{ first: 0 }, /first must be from 1/],
    [{ first: '1.5' }, /first must be from 1/],
    [{ rules: 'x' }, /has no rules/],
  ])('to %j', async (body, message) => {
    expectEnvelope(await send(body), 400, 'VALIDATION_ERROR', message);
  });
});

describe('401', () => {
  it('without a key', async () => {
    expectEnvelope(await send({}, null), 401, 'UNAUTHORIZED');
  });
});

describe('403', () => {
  it('to a key without its scope', async () => {
    expectEnvelope(await send({}, service.firstRun.live_ingest_key), 403, 'FORBIDDEN', /costs:read/);
  });
});
