import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get } from '../../support/api-client.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { signedIn, type Visitor, visitor } from '../../support/visitor.ts';

let service: RunningService;
let person: Visitor;

beforeAll(async () => {
  service = await sharedService();
  person = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

async function json(path: string, init: RequestInit): Promise<Record<string, string>> {
  return (await (await fetch(`${service.url}/v1/oauth${path}`, { method: 'POST', ...init })).json()) as Record<
    string,
    string
  >;
}

describe('/activate', () => {
  const begin = () =>
    json('/device_authorization', { body: new URLSearchParams({ client_id: 'cli', machine_name: 'build <host>' }) });
  const poll = ({ device_code: code = '' }: Record<string, string>) =>
    json('/token', {
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: 'cli',
        device_code: code,
      }),
    });

  it('opening the link changes nothing; entering the code shows the device; only approval connects it', async () => {
    const login = await begin();
    const entry = await person.get(
      new URL(login['verification_uri_complete']!).pathname + new URL(login['verification_uri_complete']!).search,
    );
    expect(entry.html).toContain(`name="user_code" value="${login['user_code']}"`);
    const page = await person.answer(entry, '/activate', {
      user_code: login['user_code']!.toLowerCase().replace('-', ' '),
    });
    expect(page.html).toContain('Connect <em>build &lt;host&gt;</em>?');
    expect(page.html).toContain('<code>costs:read</code>');
    expect(page.html).toContain('For 90 days');
    expect(page.html).toContain(`The device must show <strong><code>${login['user_code']}</code></strong>`);
    expect(page.html).toMatch(/Requested on <time datetime="[^"]+">[^<]+<\/time> from <code>127\.0\.0\.1<\/code>/);
    expect(await poll(login)).toMatchObject({ error: 'authorization_pending' });
    const end = await person.answer(page, '/activate/decision', { decision: 'approve' });
    expect(end.html).toContain('Device connected');
    const again = await person.answer(page, '/activate/decision', { decision: 'approve' });
    expect(again.status).toBe(404);
  });

  it('a denied device gets no key', async () => {
    const login = await begin();
    const page = await person.submit('/activate', '/activate', { user_code: login['user_code']! });
    expect((await person.answer(page, '/activate/decision', { decision: 'deny' })).html).toContain('Device refused');
    expect(await poll(login)).toMatchObject({ error: 'access_denied' });
  });

  it('a wrong code is reported on the form; after ten wrong codes, the next one has to wait', async () => {
    const guessing = await signedIn(service.url, service.firstRun);
    for (let guess = 0; guess < 10; guess += 1) {
      const { status, html } = await guessing.submit('/activate', '/activate', { user_code: 'BBBB-BBBB' });
      expect({ status, alert: html.includes('role="alert"') }).toEqual({ status: 404, alert: true });
    }
    const { status, headers } = await guessing.submit('/activate', '/activate', { user_code: 'BBBB-BBBB' });
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('/oauth/authorize', () => {
  const REDIRECT = 'http://127.0.0.1:7777/callback?keep=this';
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  let client: string;

  beforeAll(async () => {
    const registered = await json('/register', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Reader <b>', redirect_uris: [REDIRECT] }),
    });
    client = registered['client_id']!;
  });
  const query = (changes: Record<string, string> = {}) =>
    new URLSearchParams({
      client_id: client,
      redirect_uri: REDIRECT,
      response_type: 'code',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'a"b',
      ...changes,
    }).toString();
  const targetOf = (html: string) =>
    new URL(
      /<meta http-equiv="refresh" content="0;url=([^"]+)">/
        .exec(html)![1]!
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&'),
    );

  it('shows the application and its scopes, and responds to an approval with a page that leads back', async () => {
    const page = await person.get(`/oauth/authorize?${query()}`);
    expect(page.html).toContain('Connect <em>Reader &lt;b&gt;</em>?');
    expect(page.html).toContain('<strong>127.0.0.1:7777</strong>');
    expect(page.html).toContain('For 30 days');
    const approved = await person.answer(page, '/oauth/authorize', { decision: 'approve' });
    expect({ status: approved.status, location: approved.location }).toEqual({ status: 200, location: null });
    const target = targetOf(approved.html);
    expect(target.href.startsWith(REDIRECT)).toBe(true);
    expect(target.searchParams.get('state')).toBe('a"b');
    const token = await json('/token', {
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: client,
        code: target.searchParams.get('code')!,
        code_verifier: verifier,
        redirect_uri: REDIRECT,
      }),
    });
    expect((await get(service.url, '/ping', token['access_token']!)).status).toBe(200);
    expect((await person.get('/api-keys')).html).toContain('by Reader &lt;b&gt;');
  });

  it('a denial leads back too', async () => {
    const denied = await person.answer(await person.get(`/oauth/authorize?${query()}`), '/oauth/authorize', {
      decision: 'deny',
    });
    expect(targetOf(denied.html).searchParams.get('error')).toBe('access_denied');
  });

  it('a decision is made once, by the session that was asked for it', async () => {
    const page = await person.get(`/oauth/authorize?${query()}`);
    const other = await signedIn(service.url, service.firstRun);
    const [, id = ''] = /name="id" value="([^"]+)"/.exec(page.html)!;
    const foreign = await other.get(`/oauth/authorize?${query()}`);
    expect((await other.answer(foreign, '/oauth/authorize', { id, decision: 'approve' })).status).toBe(404);
    await person.answer(page, '/oauth/authorize', { decision: 'approve' });
    expect((await person.answer(page, '/oauth/authorize', { decision: 'approve' })).status).toBe(404);
  });

  it.each([
    ['an unknown client', { client_id: 'nobody' }],
    ['a redirect URI that is not registered', { redirect_uri: 'https://evil.example/' }],
  ])('%s gets a page, never a redirect', async (_, changes) => {
    const { status, location, html } = await person.get(`/oauth/authorize?${query(changes)}`);
    expect({ status, location }).toEqual({ status: 400, location: null });
    expect(html).not.toContain('http-equiv="refresh"');
  });

  it('a request that names its client twice gets a page', async () => {
    expect((await person.get(`/oauth/authorize?${query()}&client_id=${client}`)).status).toBe(400);
  });

  it.each([
    ['another parameter twice', '&scope=costs:read&scope=usage:read', {}, 'invalid_request'],
    ['plain PKCE', '', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a scope that writes', '', { scope: 'usage:write' }, 'invalid_scope'],
    ['a resource of others', '', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
  ])('%s is returned to the client as an error', async (_, more, changes, error) => {
    const { status, location } = await person.get(`/oauth/authorize?${query(changes)}${more}`);
    expect(status).toBe(303);
    expect(location!.startsWith(REDIRECT)).toBe(true);
    expect(new URL(location!).searchParams.get('error')).toBe(error);
  });

  it.each([
    ['a scope that writes', '', { scope: 'usage:write' }, 'invalid_scope'],
    ['another parameter twice', '&scope=costs:read&scope=usage:read', {}, 'invalid_request'],
  ])(
    '%s of a client on another machine gets a page with a link: nobody is redirected to an address that anybody can register',
    async (_, more, changes, error) => {
      const redirect = 'https://evil.example/land?a=1';
      const { client_id: id = '' } = await json('/register', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: 'Reader', redirect_uris: [redirect] }),
      });
      const { status, location, html } = await person.get(
        `/oauth/authorize?${query({ client_id: id, redirect_uri: redirect, ...changes })}${more}`,
      );
      expect({ status, location }).toEqual({ status: 400, location: null });
      expect(html).not.toContain('http-equiv="refresh"');
      const [, href = ''] = /<a href="(https:[^"]+)">Go back to/.exec(html)!;
      expect(href.replaceAll('&amp;', '&')).toMatch(new RegExp(`^https://evil\\.example/land\\?a=1&error=${error}&`));
    },
  );

  it('signing in on the way continues without a redirect, which form-action would block', async () => {
    const newcomer = visitor(service.url);
    const path = `/oauth/authorize?${query({ scope: 'usage:write' })}`;
    const requested = await newcomer.get(path);
    const entered = await newcomer.submit(requested.location!, '/sign-in', {
      email: service.firstRun.owner_email,
      password: service.firstRun.owner_password,
    });
    expect({ status: entered.status, location: entered.location }).toEqual({ status: 200, location: null });
    expect(targetOf(entered.html.replace('url=/', `url=${service.url}/`)).searchParams.get('scope')).toBe(
      'usage:write',
    );
  });

  it('needs the form token of this session', async () => {
    const page = await person.get(`/oauth/authorize?${query()}`);
    const [, id = ''] = /name="id" value="([^"]+)"/.exec(page.html)!;
    expect((await person.post('/oauth/authorize', { id, decision: 'approve' })).status).toBe(403);
    const [, token = ''] = /name="csrf_token" value="([^"]+)"/.exec(page.html)!;
    expect(
      (
        await person.post(
          '/oauth/authorize',
          { id, decision: 'approve', csrf_token: token },
          { origin: 'https://evil.example' },
        )
      ).status,
    ).toBe(403);
  });
});
