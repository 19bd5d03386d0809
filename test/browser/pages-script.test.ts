/** The script of signed-in pages, in a browser. Everything works without it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { post, settle } from '../support/api-client.ts';
import { freePort } from '../support/free-port.ts';
import type { RunningService } from '../support/running-service.ts';
import { ownService } from '../support/shared-service.ts';
import { usageEvent } from '../support/usage-event.ts';
import { type OpenBrowser, openBrowser } from './open-browser.ts';

let service: RunningService;
let browser: OpenBrowser;
beforeAll(async () => {
  const port = await freePort();
  service = await ownService({ PORT: String(port), APP_URL: `http://localhost:${port}` });
  const {
    live_ingest_key: key,
    operator_token: operator,
    owner_email: email,
    owner_password: password,
  } = service.firstRun;
  await post(service.url, '/usage-events/batch', key, [
    usageEvent({ cost_override: '1.5', agent_id: 'reviewer' }),
    usageEvent({ cost_override: '2', model: 'gpt-4o-mini' }),
  ]);
  await settle(service.url, operator);
  browser = await openBrowser({ script: true });
  const { page } = browser;
  await page.goto(`${service.url}/sign-in`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(`${service.url}/`);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});

it('the page script has at most 4.5 kB', () => {
  const script = readFileSync(new URL('../../dashboard/shell/pages.js', import.meta.url));
  expect(script.length).toBeLessThanOrEqual(4_608);
});

it('the page script shows the values of all series for a day of the chart, by keyboard and pointer', async () => {
  const { page } = browser;
  await page.goto(`${service.url}/costs?window=30d&group=model`);
  const plot = page.locator('figure.trend .plot').first();
  const readout = plot.locator('.readout');
  expect(await readout.isVisible()).toBe(false);
  await plot.focus();
  await page.keyboard.press('ArrowLeft');
  await readout.waitFor();
  const today = await readout.innerText();
  expect(today).toContain('gpt-4o $1.50');
  expect(today).toContain('gpt-4o-mini $2.00');
  await page.keyboard.press('ArrowLeft');
  expect(await readout.innerText()).not.toContain('$');
  await page.keyboard.press('Escape');
  expect(await readout.isVisible()).toBe(false);
  const { x, y, width, height } = (await plot.locator('svg').boundingBox())!;
  await page.mouse.move(x + width - 2, y + height / 2);
  expect(await readout.innerText()).toBe(today);
  expect(browser.complaints).toEqual([]);
});

it('the page script submits a form as soon as a choice is made, and opens the search with a key', async () => {
  const { page } = browser;
  await page.goto(`${service.url}/costs?window=30d&group=model`);
  await page.locator('select[name=group]').selectOption('agent');
  await page.waitForURL('**/costs?*group=agent*');
  await page.locator('body').press('/');
  expect(await page.evaluate('document.activeElement.id')).toBe('search');
  await page.keyboard.type('reviewer/');
  expect(await page.locator('#search').inputValue()).toBe('reviewer/');
  await page.locator('h1').click();
  await page.keyboard.press('Control+k');
  expect(await page.evaluate('document.activeElement.id')).toBe('search');
});

it('the page script shows insights on the overview after the page, and keeps a link to them if they cannot be loaded', async () => {
  const { page } = browser;
  const panel = page.locator('#insights');
  await page.route('**/insights*', (route) => route.abort());
  await page.goto(`${service.url}/`);
  const link = panel.getByRole('link', { name: 'Show insights' });
  expect(await link.isVisible()).toBe(true);
  await page.unroute('**/insights*');
  await link.click();
  await page.waitForURL('**/insights*');
  const text = await panel.innerText();
  expect(text).toContain('Nothing stands out in this period.');
  await page.goto(`${service.url}/`);
  await link.waitFor({ state: 'detached' });
  expect(await panel.innerText()).toBe(text);
});
