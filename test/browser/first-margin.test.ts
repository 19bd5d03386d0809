/** From an empty organization to its first margin without a shell, as described in docs/guides/first-margin.md. */
import { execFile } from 'node:child_process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addCustomer } from '../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../packages/stripe-stand-in/invoices.ts';
import { start, type StripeStandIn } from '../../packages/stripe-stand-in/server.ts';
import { freePort } from '../support/free-port.ts';
import { PATIENCE } from '../support/patience.ts';
import { type RunningService, runningService } from '../support/running-service.ts';
import { errorsOf } from './errors-of.ts';
import { type OpenBrowser, openBrowser } from './open-browser.ts';

const LOOKS_MAX = PATIENCE.timeout / 250;
const KEY = 'rk_live_stand_in';

let service: RunningService;
let processor: StripeStandIn;
let browser: OpenBrowser;
let page: Page;

beforeAll(async () => {
  processor = await start();
  const port = await freePort();
  service = await runningService({
    PORT: String(port),
    STRIPE_API_BASE: processor.url,
    API_ORIGIN: `http://127.0.0.1:${port}`,
  });
  browser = await openBrowser();
  ({ page } = browser);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await processor.stop();
});

const press = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' }).click();
const follow = (name: string) => page.getByRole('link', { name, exact: true }).click();
const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

/** Stands in for the customer's own product: runs the program that the page shows. */
function runProgram(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, ['--input-type=module', '-'], (error, stdout) =>
      error ? reject(error as Error) : resolve(stdout),
    );
    child.stdin?.end(text);
  });
}

/** Reloads the page until the text appears, as a person would who is asked to look again in a moment. */
async function reloadUntil(text: string | RegExp): Promise<void> {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    if ((await page.getByText(text).count()) > 0) return;
    await page.waitForTimeout(250);
    await page.reload();
  }
  throw new Error(`${page.url()} never said ${String(text)}`);
}

it('an owner goes from an empty organization to its first margin with only a browser', async () => {
  const period = { start: Math.floor(Date.now() / 1000) - 86_400, end: Math.floor(Date.now() / 1000) - 3_600 };
  const customer = addCustomer(processor.account, { name: 'Customer One Ltd', metadata: {} });
  addInvoice(processor.account, { customer, lines: [{ amount: 2_000, ...period }] });

  await page.goto(`${service.url}/sign-in`);
  await page.getByLabel('E-mail address').fill(service.firstRun.owner_email);
  await page.getByLabel('Password').fill(service.firstRun.owner_password);
  await press('Sign in');
  await follow('Three steps to your first event');

  await press('Send a test event');
  await heading('The test event was priced');
  await page.getByText('$0.0035').waitFor();
  await follow('Send your own event');

  await page.getByLabel('Name of the key').fill('Product');
  await press('Create key');
  await heading('Send your first event');
  const program = (await page.getByRole('region', { name: 'In Node' }).locator('pre').textContent())!;
  await follow('I’ve sent it – check');
  await heading('Waiting for the first event');
  // The page refreshes itself: nothing is clicked from here until it does.
  expect(await runProgram(program)).toContain('"accepted":1');
  await heading('Your event is here');

  await follow('Connect Stripe');
  await page.getByLabel('Restricted key').fill(KEY);
  await press('Connect');
  await page.getByRole('status').getByText('Stripe is connected').waitFor();
  expect(await page.content()).not.toContain(KEY);
  await press('Sync now');
  await reloadUntil('1 not linked');
  await follow('1 not linked');
  await follow('Link Customer One Ltd');
  await page.getByLabel(/^Part of the/).fill('customer-1');
  await press('Search');
  await press('Link customer-1');
  await page.getByText('All customers are linked.').waitFor();

  await page.goto(`${service.url}/?window=30-days`);
  await page.getByText('Customer One Ltd').first().waitFor();
  const margin = page.locator('.headline', { has: page.getByRole('heading', { name: 'Margin %' }) });
  expect(await margin.locator('.muted').textContent()).toContain('$20.00 of $20.00 revenue');
  expect(await errorsWithScript(page)).toEqual([]);
  await page.goto(`${service.url}/first-steps`);
  expect(await page.getByText('done', { exact: true }).count()).toBe(4);
  expect(browser.complaints).toEqual([]);
});

/** Checks a snapshot of the page on a page that allows scripts: axe needs them, and our pages forbid them. */
async function errorsWithScript(shown: Page): Promise<string[]> {
  const judge = await openBrowser({ script: true });
  try {
    await judge.page.context().addCookies(await shown.context().cookies());
    await judge.page.goto(shown.url());
    return await errorsOf(judge.page);
  } finally {
    await judge.close();
  }
}
