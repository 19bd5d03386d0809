import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get } from '../../support/api-client.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { sendTo } from '../../support/telemetry.ts';
import { type PageAnswer, signedIn, type Visitor } from '../../support/visitor.ts';

let service: RunningService;
let person: Visitor;

beforeAll(async () => {
  service = await sharedService();
  person = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

const KEY = /sk_(?:live|test)_[A-Za-z0-9]{40}/;

function keyOn({ html }: PageAnswer): string {
  return KEY.exec(html)?.[0] ?? 'no key';
}

async function create(
  name: string,
  fields: Record<string, string | string[]> = {},
): Promise<{ key: string; page: string }> {
  const made = await person.submit('/api-keys/new', '/api-keys/new', {
    name,
    preset: 'read',
    environment: 'live',
    ...fields,
  });
  expect(made.status).toBe(200);
  const list = await person.get('/api-keys');
  const [, page = ''] = new RegExp(`<a href="(/api-keys/[0-9a-f-]{36})">${name}</a>`).exec(list.html) ?? [];
  return { key: keyOn(made), page };
}

describe('a new key', () => {
  it('a new key of a preset is shown once and works', async () => {
    const { key, page } = await create('Reader');
    expect(key).toMatch(/^sk_live_/);
    expect((await get(service.url, '/ping', key)).body).toMatchObject({
      key_name: 'Reader',
      scopes: expect.arrayContaining(['costs:read', 'revenue:read', 'usage:read', 'dimensions:read']),
      expires_at: null,
    });
    for (const path of ['/api-keys', page]) expect((await person.get(path)).html).not.toMatch(KEY);
  });

  it("asks for dates with the browser's own date field", async () => {
    for (const path of ['/api-keys/new', '/rates/price']) {
      const { html } = await person.get(path);
      expect(html).toContain('type="date"');
    }
  });

  it('a new key with chosen scopes has them and a description, and expires after its last day', async () => {
    const { key, page } = await create('Chosen', {
      preset: 'chosen',
      scopes: ['usage:read', 'costs:read'],
      description: 'For <reports>',
      environment: 'test',
      expires_on: '2099-12-31',
    });
    expect(key).toMatch(/^sk_test_/);
    expect((await get(service.url, '/ping', key)).body).toMatchObject({
      environment: 'test',
      scopes: ['costs:read', 'usage:read'],
      expires_at: '2099-12-31T23:59:59.000Z',
    });
    expect((await person.get(page)).html).toContain('For &lt;reports&gt;');
  });

  it.each([
    ['without a name', { name: '' }],
    ['without a scope', { preset: 'chosen' }],
    ['of an unknown preset', { preset: 'all' }],
    ['that has ended already', { expires_on: '2020-01-01' }],
    ['with a day that does not exist', { expires_on: '2099-02-31' }],
  ])('%s is refused on the form, which keeps what was typed', async (_, fields) => {
    const refused = await person.submit('/api-keys/new', '/api-keys/new', {
      name: 'x',
      description: 'stays',
      preset: 'read',
      environment: 'live',
      ...fields,
    });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain('role="alert"');
    expect(refused.html).toContain('value="stays"');
  });

  it('needs the form token of this session', async () => {
    const other = await signedIn(service.url, service.firstRun);
    const form = await other.get('/api-keys/new');
    expect(
      (await person.answer(form, '/api-keys/new', { name: 'Stolen', preset: 'read', environment: 'live' })).status,
    ).toBe(403);
    expect((await person.post('/api-keys/new', { name: 'Stolen', preset: 'read', environment: 'live' })).status).toBe(
      403,
    );
    expect((await person.get('/api-keys')).html).not.toContain('Stolen');
  });
});

describe('a key', () => {
  it('is rotated: the new one works, the old one stops', async () => {
    const { key, page } = await create('Turning');
    const rotated = await person.submit(page, `${page}/rotate`);
    expect({ status: rotated.status, name: rotated.html.includes('Turning (Rotated)') }).toEqual({
      status: 200,
      name: true,
    });
    expect((await get(service.url, '/ping', key)).status).toBe(401);
    expect((await get(service.url, '/ping', keyOn(rotated))).status).toBe(200);
    expect((await person.get(page)).html).not.toContain('Rotate the key');
  });

  it('is revoked at once', async () => {
    const { key, page } = await create('Ending');
    expect((await person.submit(page, `${page}/revoke`)).location).toBe('/api-keys?done=key-revoked');
    expect((await get(service.url, '/ping', key)).status).toBe(401);
    expect((await person.get('/api-keys?done=key-revoked')).html).toContain('role="status">The key was revoked');
  });

  it('a key of the test environment can be shown again, a live one cannot', async () => {
    const test = await create('Again', { environment: 'test' });
    expect(keyOn(await person.submit(test.page, `${test.page}/reveal`))).toBe(test.key);
    const live = await create('Once');
    const page = await person.get(live.page);
    expect(page.html).not.toContain('/reveal');
    const [, token = ''] = /name="csrf_token" value="([^"]+)"/.exec(page.html)!;
    const refused = await person.post(`${live.page}/reveal`, { csrf_token: token });
    expect({ status: refused.status, key: keyOn(refused) }).toEqual({ status: 400, key: 'no key' });
  });

  it('may write unsigned once a person allows it, which the list shows, until it is forbidden', async () => {
    const writer = await create('Exporter', { preset: 'chosen', scopes: ['usage:write'] });
    const reader = await create('No exporter');
    expect((await person.get(reader.page)).html).not.toContain('unsigned');
    const send = async () => (await sendTo(service.url, '/otlp/v1/traces', writer.key, {})).status;
    const says = async () => {
      const [page, list] = [await person.get(writer.page), await person.get('/api-keys')];
      return [/<dt>Unsigned requests<\/dt><dd>(\w+)/.exec(page.html)?.[1], list.html.includes('>unsigned</span>')];
    };
    expect([await send(), ...(await says())]).toEqual([403, 'no', false]);

    const allowed = await person.submit(writer.page, `${writer.page}/unsigned`, { allowed: 'yes' });
    expect([allowed.status, allowed.location]).toEqual([303, writer.page]);
    expect([await send(), ...(await says())]).toEqual([200, 'yes', true]);

    await person.submit(writer.page, `${writer.page}/unsigned`, { allowed: 'no' });
    expect([await send(), ...(await says())]).toEqual([403, 'no', false]);
    const log = (await person.get('/audit-log')).html;
    expect([log.includes('API key unsigned allowed'), log.includes('API key unsigned forbidden')]).toEqual([
      true,
      true,
    ]);
  });

  it('a key that does not exist gets an error page', async () => {
    const { status, html } = await person.get('/api-keys/00000000-0000-4000-8000-000000000000');
    expect({ status, title: html.includes('<h1>Not found</h1>') }).toEqual({ status: 404, title: true });
  });
});
