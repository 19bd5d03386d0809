/** Passkeys in Chromium, with a virtual authenticator instead of a fingerprint reader. */
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { type RunningService, runningService } from '../support/running-service.ts';
import { type OpenBrowser, openBrowser } from './open-browser.ts';

let service: RunningService;
let origin: string;
let browser: OpenBrowser;
let page: Page;
let devtools: CDPSession;
let authenticatorId: string;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://localhost:${port}`;
  service = await runningService({ PORT: String(port), APP_URL: origin });
});
afterAll(() => service.stop());
beforeEach(async () => {
  browser = await openBrowser({ script: true });
  ({ page } = browser);
  devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  ({ authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  }));
});
afterEach(async () => {
  expect(browser.complaints).toEqual([]);
  await browser.close();
});

const press = (name: string) => page.getByRole('button', { name, exact: true }).click();

async function enterPassword(): Promise<void> {
  await page.getByLabel('E-mail address').fill(service.firstRun.owner_email);
  await page.getByLabel('Password').fill(service.firstRun.owner_password);
  await press('Sign in');
}

it('a person adds a passkey, signs in with it alone and after the password, and removes it', async () => {
  await page.goto(`${origin}/sign-in`);
  await enterPassword();
  await page.waitForURL(`${origin}/`);
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Two-step sign-in' }).first().click();
  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await page.getByLabel('Name').fill('This laptop');
  await page.getByLabel('Password').fill(service.firstRun.owner_password);
  await press('Continue');
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  expect(await page.getByRole('listitem').locator('code').allTextContents()).toHaveLength(10);
  await page.getByRole('link', { name: 'I have saved them' }).click();
  await page.getByText('Not used yet.').waitFor();
  await press('Sign out');

  // Passkey only: the browser offers it without an account name.
  await page.goto(`${origin}/sign-in?next=/api-keys`);
  await press('Sign in with a passkey');
  await page.waitForURL(`${origin}/api-keys`);
  await press('Sign out');

  // Passkey after the password. A person who is not recognized is not signed in, and may try again.
  await page.goto(`${origin}/sign-in`);
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await enterPassword();
  await page.getByRole('heading', { name: 'Use your passkey' }).waitFor();
  await page.getByRole('alert').getByText('The passkey did not respond').waitFor();
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await press('Use your passkey');
  await page.waitForURL(`${origin}/`);

  // The device already has a passkey for this account.
  await page.goto(`${origin}/passkeys/new`);
  await page.getByLabel('Name').fill('Again');
  await page.getByLabel('Password').fill(service.firstRun.owner_password);
  await press('Continue');
  await page.getByRole('alert').getByText('already has a passkey for this account').waitFor();

  await page.goto(`${origin}/second-factor`);
  await page.getByRole('link', { name: 'Manage This laptop' }).click();
  await page.getByLabel('Password').fill(service.firstRun.owner_password);
  await press('Remove the passkey');
  await page.getByRole('status').getByText('The passkey was removed').waitFor();
  await press('Sign out');
  await enterPassword();
  await page.waitForURL(`${origin}/`);
});
