import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningService, runningService } from '../../support/running-service.ts';
import { totpCode } from '../../support/totp-code.ts';
import { signedIn, visitor } from '../../support/visitor.ts';

let service: RunningService;
let owner: { email: string; password: string };

beforeAll(async () => {
  service = await runningService();
  owner = { email: service.firstRun.owner_email, password: service.firstRun.owner_password };
});
afterAll(() => service.stop());

describe('a page', () => {
  it.each(['/sign-in', '/', '/nothing-here'])(
    '%s is protected from caches, frames and external resources',
    async (path) => {
      const { headers } = await visitor(service.url).get(path, { accept: 'text/html' });
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
    },
  );

  it('has one stylesheet, which browsers may keep', async () => {
    const { html } = await visitor(service.url).get('/sign-in');
    const [, path] = /<link rel="stylesheet" href="([^"]+)">/.exec(html)!;
    const style = await visitor(service.url).get(path!);
    expect({
      status: style.status,
      type: style.headers.get('content-type'),
      cache: style.headers.get('cache-control'),
    }).toEqual({
      status: 200,
      type: 'text/css; charset=utf-8',
      cache: 'public, max-age=31536000, immutable',
    });
  });

  it('has no script and no inline style', async () => {
    const person = await signedIn(service.url, service.firstRun);
    for (const path of [
      '/',
      '/api-keys',
      '/api-keys/new',
      '/sessions',
      '/password',
      '/second-factor',
      '/audit-log',
      '/people',
      '/people/invite',
      '/activate',
    ]) {
      expect((await person.get(path)).html).not.toMatch(
        /<script(?! src="\/assets\/[0-9a-f]{12}\.js" defer><\/script>)|<style| style=| on[a-z]+=/,
      );
    }
  });
});

describe('without a session', () => {
  it.each([
    '/api-keys',
    '/api-keys/new',
    '/sessions',
    '/password',
    '/second-factor',
    '/audit-log',
    '/people',
    '/people/invite',
    '/people/x',
    '/activate?user_code=BCDF-GHJK',
    '/oauth/authorize?client_id=x',
  ])('%s leads to the sign-in and back', async (path) => {
    const person = visitor(service.url);
    const { status, location } = await person.get(path);
    expect({ status, location }).toEqual({
      status: 303,
      location: `/sign-in?${new URLSearchParams({ next: path }).toString()}`,
    });
  });

  it('a form leads to the sign-in and changes nothing', async () => {
    const { status, location } = await visitor(service.url).post('/sessions/end-others', {});
    expect({ status, location }).toEqual({ status: 303, location: '/sign-in' });
  });
});

describe('the sign-in', () => {
  it('starts a session in a cookie that scripts cannot read', async () => {
    const person = visitor(service.url);
    const { status, location, headers } = await person.submit('/sign-in', '/sign-in', owner);
    expect({ status, location }).toEqual({ status: 303, location: '/' });
    expect(headers.getSetCookie().find((cookie) => cookie.startsWith('session='))).toMatch(
      /^session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    );
    expect((await person.get('/')).status).toBe(200);
  });

  it('continues to the requested page', async () => {
    expect((await visitor(service.url).submit('/sign-in?next=%2Fapi-keys%3Fa%3Db', '/sign-in', owner)).location).toBe(
      '/api-keys?a=b',
    );
  });

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    '/%09/evil.example/../..//evil.example',
  ])('never continues to %s', async (next) => {
    const { location } = await visitor(service.url).submit(
      `/sign-in?${new URLSearchParams({ next }).toString()}`,
      '/sign-in',
      owner,
    );
    expect(new URL(location!, service.url).origin).toBe(service.url);
  });

  it('continues at once if there is a session, unless a new sign-in is required', async () => {
    const person = await signedIn(service.url, service.firstRun);
    expect((await person.get('/sign-in?next=%2Fsessions')).location).toBe('/sessions');
    expect((await person.get('/sign-in?next=%2Fsessions&again=yes')).status).toBe(200);
  });

  it('gives the same response for a wrong password and an unknown address', async () => {
    const answers = await Promise.all(
      [
        { ...owner, password: 'wrong' },
        { ...owner, email: 'nobody@example.com' },
      ].map((form) => visitor(service.url).submit('/sign-in', '/sign-in', form)),
    );
    for (const { status, html } of answers) {
      expect(status).toBe(401);
      expect(html).toContain(
        '<p class="alert" role="alert" id="error">The e-mail address or the password is wrong</p>',
      );
    }
  });

  it('prints typed text as text', async () => {
    const { html } = await visitor(service.url).submit('/sign-in', '/sign-in', {
      email: '"><b>x</b>',
      password: 'wrong',
    });
    expect(html).toContain('value="&quot;&gt;&lt;b&gt;x&lt;/b&gt;"');
  });

  it.each([
    ['without the token', { csrf_token: '' }, {}],
    ['with a token of another visit', { csrf_token: 'x'.repeat(43) }, {}],
    ['from another origin', {}, { origin: 'https://evil.example' }],
    ['from an opaque origin', {}, { origin: 'null' }],
    ['from another site', {}, { 'sec-fetch-site': 'cross-site' }],
    ['from a sister site', {}, { 'sec-fetch-site': 'same-site' }],
  ])('is refused %s', async (_, fields, headers) => {
    const person = visitor(service.url);
    const { html } = await person.get('/sign-in');
    const [, token = ''] = /name="csrf_token" value="([^"]+)"/.exec(html)!;
    const { status } = await person.post('/sign-in', { csrf_token: token, ...owner, ...fields }, headers);
    expect(status).toBe(403);
    expect(person.cookies.has('session')).toBe(false);
  });

  it('accepts what browsers send under no-referrer: an opaque origin from the same site', async () => {
    const person = visitor(service.url);
    const { html } = await person.get('/sign-in');
    const [, token = ''] = /name="csrf_token" value="([^"]+)"/.exec(html)!;
    expect(
      (
        await person.post(
          '/sign-in',
          { csrf_token: token, ...owner },
          { origin: 'null', 'sec-fetch-site': 'same-origin' },
        )
      ).status,
    ).toBe(303);
  });

  it('accepts only forms', async () => {
    const answer = await fetch(`${service.url}/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(415);
  });

  it('ends with the sign-out, for a copy of the cookie too', async () => {
    const person = await signedIn(service.url, service.firstRun);
    const copy = person.cookies.get('session')!;
    expect((await person.submit('/sessions', '/sign-out')).location).toBe('/sign-in?done=signed-out');
    expect(person.cookies.has('session')).toBe(false);
    person.cookies.set('session', copy);
    expect((await person.get('/')).location).toBe('/sign-in');
  });

  it('a second sign-in ends the previous session', async () => {
    const person = await signedIn(service.url, service.firstRun);
    const before = person.cookies.get('session')!;
    await person.submit('/sign-in?again=yes', '/sign-in', owner);
    expect(person.cookies.get('session')).not.toBe(before);
    const stale = visitor(service.url);
    stale.cookies.set('session', before);
    expect((await stale.get('/sessions')).status).toBe(303);
  });
});

describe('two-step sign-in', () => {
  it('is set up with a QR code, requested, passed with an app or a recovery code, and turned off', async () => {
    const person = await signedIn(service.url, service.firstRun);
    expect((await person.submit('/second-factor', '/second-factor/start', { password: 'a wrong one' })).html).toContain(
      'The password is wrong',
    );
    const offer = await person.submit('/second-factor', '/second-factor/start', { password: owner.password });
    expect(offer.html).toContain('<svg class="qr"');
    const secret =
      /aria-label="Key for the authenticator app">([^<]+)</.exec(offer.html)?.[1]?.replaceAll(' ', '') ?? '';

    const wrong = await person.answer(offer, '/second-factor/confirm', { code: '000000' });
    expect(wrong.status).toBe(400);
    expect(wrong.html).toContain(secret);
    const copy = visitor(service.url);
    copy.cookies.set('session', person.cookies.get('session')!);
    const confirmed = await person.answer(wrong, '/second-factor/confirm', { code: totpCode(secret) });
    const codes = [...confirmed.html.matchAll(/<li><code>([A-Z2-7-]+)<\/code><\/li>/g)].map(([, code]) => code!);
    expect(codes).toHaveLength(10);
    expect((await copy.get('/')).location).toBe('/sign-in');
    expect((await person.get('/second-factor')).html).toContain('10 of ten recovery codes are left');

    const byApp = visitor(service.url);
    const step = await byApp.submit('/sign-in?next=%2Fapi-keys', '/sign-in', owner);
    expect(step.location).toBe('/sign-in/second-step?next=%2Fapi-keys');
    expect(byApp.cookies.has('session')).toBe(false);
    const refused = await byApp.submit(step.location!, '/sign-in/second-step', { code: '000000' });
    expect({ status: refused.status, left: /(\d) attempts are left/.exec(refused.html)?.[1] }).toEqual({
      status: 401,
      left: '4',
    });
    const passed = await byApp.answer(refused, '/sign-in/second-step', { code: totpCode(secret, Date.now() + 30_000) });
    expect({ status: passed.status, location: passed.location }).toEqual({ status: 303, location: '/api-keys' });
    expect(byApp.cookies.has('session')).toBe(true);
    expect(byApp.cookies.has('sign_in_attempt')).toBe(false);

    const byPaper = visitor(service.url);
    await byPaper.submit('/sign-in', '/sign-in', owner);
    expect(
      (await byPaper.submit('/sign-in/recovery-code', '/sign-in/recovery-code', { code: codes[0]!.toLowerCase() }))
        .location,
    ).toBe('/');

    const guessing = visitor(service.url);
    await guessing.submit('/sign-in', '/sign-in', owner);
    for (let guess = 0; guess < 4; guess += 1)
      expect((await guessing.submit('/sign-in/second-step', '/sign-in/second-step', { code: '000000' })).status).toBe(
        401,
      );
    expect((await guessing.submit('/sign-in/second-step', '/sign-in/second-step', { code: '000000' })).location).toBe(
      '/sign-in?done=attempt-void',
    );
    expect((await guessing.get('/sign-in/second-step')).location).toBe('/sign-in');

    expect(
      (await person.submit('/second-factor', '/second-factor/turn-off', { password: 'wrong', code: codes[1]! })).status,
    ).toBe(400);
    const off = await person.submit('/second-factor', '/second-factor/turn-off', {
      password: owner.password,
      code: codes[2]!,
    });
    expect(off.location).toBe('/second-factor?done=second-factor-off');
    expect((await byApp.get('/')).location).toBe('/sign-in');
    expect((await person.get('/second-factor')).html).toContain('Set up');
  });
});
