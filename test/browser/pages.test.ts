import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { get } from '../support/api-client.ts';
import { type RunningService, runningService } from '../support/running-service.ts';
import { totpCode } from '../support/totp-code.ts';
import { type OpenBrowser, openBrowser } from './open-browser.ts';

let service: RunningService;
let browser: OpenBrowser;
let page: Page;

beforeAll(async () => {
  service = await runningService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  browser = await openBrowser();
  ({ page } = browser);
});
afterEach(async () => {
  expect(browser.complaints).toEqual([]);
  await browser.close();
});

async function enterPassword(on: Page = page): Promise<void> {
  await on.getByLabel('E-mail address').fill(service.firstRun.owner_email);
  await on.getByLabel('Password').fill(service.firstRun.owner_password);
  await on.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function signIn(on: Page = page): Promise<void> {
  await on.goto(`${service.url}/sign-in`);
  await enterPassword(on);
  await on.waitForURL(`${service.url}/`);
}

function press(name: string): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click();
}

function heading(name: string | RegExp) {
  return page.getByRole('heading', { level: 1, name });
}

it('a person rotates a key, and the old one stops working', async () => {
  await signIn();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('link', { name: 'Create a key' }).click();
  await page.getByLabel('Name').fill('Laptop');
  await press('Create the key');
  await heading('Your new key').waitFor();
  const first = await page.getByLabel('API key').textContent();
  await page.getByRole('link', { name: 'I have copied it' }).click();
  await page.getByRole('link', { name: 'Manage Laptop' }).click();
  await press('Rotate the key');
  await heading('The new key').waitFor();
  const second = await page.getByLabel('API key').textContent();
  expect((await get(service.url, '/ping', first!)).status).toBe(401);
  expect((await get(service.url, '/ping', second!)).body).toMatchObject({ ok: true, key_name: 'Laptop (Rotated)' });
});

it('a person connects a device with the link that it shows', async () => {
  const begun = await fetch(`${service.url}/v1/oauth/device_authorization`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'cli', machine_name: 'build-host' }),
  });
  const login = (await begun.json()) as { user_code: string; device_code: string };
  await page.goto(`${service.url}/activate?user_code=${login.user_code}`);
  await enterPassword();
  await heading('Connect a device').waitFor();
  expect(await page.getByLabel('Code').inputValue()).toBe(login.user_code);
  await press('Continue');
  await heading('Connect build-host?').waitFor();
  await press('Approve');
  await heading('Device connected').waitFor();
  const polled = await fetch(`${service.url}/v1/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: 'cli',
      device_code: login.device_code,
    }),
  });
  const { access_token: key } = (await polled.json()) as { access_token: string };
  expect((await get(service.url, '/ping', key)).body).toMatchObject({ key_name: 'build-host' });
});

it("a person connects an MCP client, and the page's policy lets the browser return to it", async () => {
  const client = await callbackServer();
  try {
    const registered = await fetch(`${service.url}/v1/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Assistant', redirect_uris: [client.redirectUri] }),
    });
    const { client_id: clientId } = (await registered.json()) as { client_id: string };
    const verifier = randomBytes(32).toString('base64url');
    const request = (more: Record<string, string> = {}) =>
      `${service.url}/oauth/authorize?${new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: client.redirectUri,
        state: 'kept',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...more,
      }).toString()}`;

    // Redirects to the client directly after the sign-in, because the requested scope cannot be granted.
    await page.goto(request({ scope: 'usage:write' }));
    await enterPassword();
    await page.waitForURL(`${client.redirectUri}?**`);
    expect(new URL(page.url()).searchParams.get('error')).toBe('invalid_scope');

    await page.goto(request());
    await heading('Connect Assistant?').waitFor();
    await press('Approve');
    await page.waitForURL(`${client.redirectUri}?**`);
    const back = new URL(page.url()).searchParams;
    expect(back.get('state')).toBe('kept');
    expect(client.referrers).toEqual([undefined, undefined]);
    const issued = await fetch(`${service.url}/v1/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        code: back.get('code')!,
        code_verifier: verifier,
        redirect_uri: client.redirectUri,
      }),
    });
    const { access_token: key } = (await issued.json()) as { access_token: string };
    expect((await get(service.url, '/ping', key)).status).toBe(200);
  } finally {
    client.close();
  }
});

it('a person signs out all other devices', async () => {
  const other = await openBrowser();
  try {
    await signIn();
    await signIn(other.page);
    await page.goto(`${service.url}/sessions`);
    await press('Sign out all other devices');
    await page.getByRole('status').getByText('All other devices were signed out.').waitFor();
    await other.page.reload();
    expect(new URL(other.page.url()).pathname).toBe('/sign-in');
    await page.reload();
    expect(new URL(page.url()).pathname).toBe('/sessions');
  } finally {
    await other.close();
  }
});

it('the pages work by keyboard only: the first stop skips the navigation, the focus is visible, errors are announced', async () => {
  await page.goto(`${service.url}/sign-in`);
  await page.locator('input[type=email]:focus').waitFor();
  await page.keyboard.type(service.firstRun.owner_email);
  await page.keyboard.press('Tab');
  await page.keyboard.type('not the password');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('The e-mail address or the password is wrong').waitFor();
  expect(await page.title()).toMatch(/^Error: /);
  await page.locator('input[type=password]:focus').waitFor();
  await page.keyboard.type(service.firstRun.owner_password);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${service.url}/`);
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').textContent()).toBe('Skip to content');
  expect(
    await page
      .locator(':focus')
      .evaluate((element) => (element as unknown as { checkVisibility(): boolean }).checkVisibility()),
  ).toBe(true);
});

it('a person sets up two-step sign-in, signs in with it, and turns it off', async () => {
  await signIn();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Two-step sign-in' }).first().click();
  await page.getByLabel('Password').fill(service.firstRun.owner_password);
  await press('Set up');
  await page.getByRole('img', { name: /^QR code/ }).waitFor();
  const secret = (await page.getByLabel('Key for the authenticator app').textContent())!.replaceAll(' ', '');
  await page.getByLabel('Six-digit code').fill(totpCode(secret));
  await press('Turn on');
  await heading('Your recovery codes').waitFor();
  const codes = await page.getByRole('listitem').locator('code').allTextContents();
  expect(codes).toHaveLength(10);
  await press('Sign out');

  await page.goto(`${service.url}/api-keys`);
  await enterPassword();
  await heading('Enter the code from your app').waitFor();
  await page.getByLabel('Six-digit code').fill('000000');
  await press('Sign in');
  await page.getByRole('alert').getByText('4 attempts are left').waitFor();
  await page.getByLabel('Six-digit code').fill(totpCode(secret, Date.now() + 30_000));
  await press('Sign in');
  await page.waitForURL(`${service.url}/api-keys`);

  await page.goto(`${service.url}/second-factor`);
  await page.getByLabel('Password').fill(service.firstRun.owner_password);
  await page.getByLabel('Six-digit code or recovery code').fill(codes[0]!);
  await press('Turn off');
  await page.getByRole('status').getByText('Two-step sign-in is off').waitFor();
});

/** Address on which a local client waits for the browser to return. */
async function callbackServer(): Promise<{ redirectUri: string; referrers: (string | undefined)[]; close(): void }> {
  const referrers: (string | undefined)[] = [];
  const server: Server = createServer((request, response) => {
    if (request.url?.startsWith('/callback')) referrers.push(request.headers.referer);
    response.setHeader('content-type', 'text/html').end('<h1>Back at the client</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    referrers,
    close: () => server.close(),
  };
}
