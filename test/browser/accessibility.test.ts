import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AlertedService, alertedService, ANY_EVENT } from '../support/alerted-service.ts';
import { post, postSignedExt, settle } from '../support/api-client.ts';
import { freePort } from '../support/free-port.ts';
import { usageEvent } from '../support/usage-event.ts';
import { errorsOf } from './errors-of.ts';
import { type OpenBrowser, openBrowser } from './open-browser.ts';

let service: AlertedService;

beforeAll(async () => {
  const port = await freePort();
  service = await alertedService({ PORT: String(port), APP_URL: `http://localhost:${port}` });
  await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
    usageEvent({ user_id: 'u1', session_id: 's1', agent_id: 'support' }),
    usageEvent({ model: 'nobody-knows-it', userId: 'u2' }),
  ]);
  await settle(service.url, service.firstRun.operator_token);
  await recordOutcomes();
  await service.rule({ ...ANY_EVENT, groupBy: 'MODEL' });
  await service.rule({ name: 'Month', kind: 'BUDGET', amount: '1' });
  await service.judge();
});
afterAll(() => service.stop());

/** A completed task and a failed attempt of the session, with the longest texts for which a page must have room. */
async function recordOutcomes(): Promise<void> {
  const outcome = { name: 'ticket_resolved', session_id: 's1', user_id: 'u1', agent_id: 'support' };
  const at = new Date().toISOString();
  const outcomes = [
    { ...outcome, key: 'failed', succeeded: false, at },
    { ...outcome, key: 'completed', succeeded: true, at, value: '1.25', currency: 'EUR' },
    {
      ...outcome,
      key: 'long',
      name: 'task_with_a_name_that_does_not_fit_on_a_phone',
      succeeded: true,
      at,
      value: '0.99',
    },
  ];
  const sent = await postSignedExt(service.url, '/outcomes', service.firstRun.live_ingest_key, outcomes);
  expect(sent.body).toMatchObject({ accepted: 3 });
}

const STOPS_MAX = 60;

/** Presses Tab until an element has the focus, in page order. Every element focused on the way must be visible. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let stops = 0; stops < STOPS_MAX; stops++) {
    await page.keyboard.press('Tab');
    const focus = page.locator(':focus');
    const focused = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 300));
    expect(await focus.isVisible(), focused).toBe(true);
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
  }
  throw new Error(`${STOPS_MAX} stops of the keyboard do not reach ${selector} on ${page.url()}`);
}

it('the keyboard leads from the sign-in through navigation and filters to the first row, which Enter opens', async () => {
  const browser = await openBrowser();
  const { page } = browser;
  try {
    await page.goto(`${service.url}/sign-in`);
    await page.locator('input[type=email]:focus').waitFor();
    await page.keyboard.type(service.firstRun.owner_email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(service.firstRun.owner_password);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.url}/`);
    await tabTo(page, 'nav a[href="/costs"]');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/costs');
    await tabTo(page, 'nav a[href="/costs"]');
    await tabTo(page, 'nav[aria-label="Period"] a');
    await tabTo(page, 'select[name=group]');
    await tabTo(page, 'select[name=add]');
    await page.keyboard.type('Model');
    await tabTo(page, 'input[name=value]');
    await page.keyboard.type('gpt-4o');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/costs?*filter=model:gpt-4o');
    await tabTo(page, 'section[aria-labelledby=groups] tbody tr:first-child th a');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/costs?*filter=customer:*');
    await page.goto(`${service.url}/customers?only=all`);
    await tabTo(page, 'input[name=search]');
    await tabTo(page, 'tbody tr:first-child th a');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'u1' }).waitFor();
    expect(browser.complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});

it('a phone has a menu, without scripts', async () => {
  const browser = await openBrowser();
  const { page } = browser;
  try {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${service.url}/sign-in`);
    await page.getByLabel('E-mail address').fill(service.firstRun.owner_email);
    await page.getByLabel('Password').fill(service.firstRun.owner_password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(`${service.url}/`);
    const menu = page.getByRole('navigation', { name: 'Main' });
    expect(await menu.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    expect(await menu.evaluate((one) => [one.scrollWidth <= one.clientWidth, one.clientWidth <= 390])).toEqual([
      true,
      true,
    ]);
    for (const link of await menu.getByRole('link').all()) expect(await link.isVisible()).toBe(true);
    await menu.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await page.goto(`${service.url}/books`);
    await page.getByRole('button', { name: 'Settings pages' }).click();
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    // Wider screens show all links at once.
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await page.getByRole('link', { name: 'Margins' }).isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Menu', exact: true }).isVisible()).toBe(false);
    expect(browser.complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});

const PAGES = [
  '/',
  '/?window=year',
  '/insights',
  '/what-if',
  '/what-if?window=90-days&model=gpt-4o&by=claude-sonnet-4-5',
  '/what-if/plan?window=90-days&flat=20&customers=all',
  '/costs?group=model,customer&compare=previous',
  '/costs/keys',
  '/margins',
  '/customers?only=all',
  '/customers?only=unlinked',
  '/outcomes',
  '/outcomes?group=agent&name=ticket_resolved&agent=support',
  '/alerts/rules/new?kind=COST_PER_SUCCESS',
  '/events',
  '/events?sort=-cost',
  '/rates?search=claude',
  '/rates/upcoming',
  '/margins/currency',
  '/exports',
  '/settings',
  '/api-keys',
  '/api-keys/new',
  '/sessions?done=session-ended',
  '/password?done=password-changed',
  '/second-factor?done=passkey-added',
  '/passkeys/new',
  '/audit-log',
  '/people?done=second-factor-required',
  '/people/invite',
  '/books?done=verification-begun',
  '/settings/payments?done=sync-requested',
  '/settings/payments/customers',
  '/first-steps',
  '/first-steps/waiting',
  '/settings/currency',
  '/settings/organization',
  '/settings/dimensions',
  '/rates/waiting',
  '/rates/price?model=nobody-knows-it',
  '/rates/negotiated',
  '/rates/agreements',
  '/rates/commitments',
  '/allowances',
  '/books/closing',
  '/books/closing/statement?month=2026-09',
  '/books/set-aside',
  '/books/not-understood',
  '/sources',
  '/import',
  '/sources/events?keys=test',
  '/personal-data?done=erasure-begun',
  '/personal-data/organization',
  '/activate',
  '/oauth/authorize?client_id=x',
  '/sign-in/invitation',
];

/** The number of figures that leave their tile once they are large. */
const LARGE_FIGURES_CUT_OFF = `[...document.querySelectorAll('.figure')].filter((one) => {
  (one.querySelector('a') ?? one).textContent = '$12,345,678,901.23';
  return one.scrollWidth > one.clientWidth;
}).length`;

/**
 * Finds labels of tables and tabs that are wider than their panel, including tables below charts, and of text
 * areas that are too narrow.
 */
const SIDEWAYS = `(() => {
  for (const details of document.querySelectorAll('details')) details.open = true;
  const tables = [...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1);
  const tabs = [...document.querySelectorAll('.windows')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.parentElement).filter((one) => !one.closest('.window'));
  const fields = [...document.querySelectorAll('textarea')].filter((one) => one.clientWidth < 200);
  return [...tables, ...tabs, ...fields].map((one) => one.getAttribute('aria-label') ?? one.getAttribute('aria-labelledby') ?? one.name);
})()`;

async function look(page: Page, path: string): Promise<string[]> {
  await page.goto(`${service.url}${path}`);
  return errorsOf(page);
}

describe.each(['light', 'dark'] as const)('in %s', (scheme) => {
  let browser: OpenBrowser;
  beforeAll(async () => {
    browser = await openBrowser({ colorScheme: scheme, script: true });
  });
  afterAll(() => browser.close());

  it('the sign-in page is accessible', async () => {
    const { page } = browser;
    await page.context().clearCookies();
    const errors = await look(page, '/sign-in');
    await page.getByLabel('E-mail address').fill(service.firstRun.owner_email);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    errors.push(...(await errorsOf(page)));
    await page.getByLabel('Password').fill(service.firstRun.owner_password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(`${service.url}/`);
    expect(errors).toEqual([]);
  });

  it.each(PAGES)('%s is accessible, and has readable contrast', async (path) => {
    expect(await look(browser.page, path)).toEqual([]);
  });

  it('every page that is linked from another one is accessible', async () => {
    const { page } = browser;
    const errors: string[] = [];
    await page.goto(`${service.url}/rates?search=claude`);
    await page.locator('a[href^="/rates/cards/"]').first().click();
    errors.push(...(await errorsOf(page)));
    await page.goto(`${service.url}/events?filter=session:s1`);
    await page.locator('a[href^="/events/session"]').first().click();
    errors.push(...(await errorsOf(page)));
    await page.locator('#events ~ * a[href^="/events/"]').first().click();
    errors.push(...(await errorsOf(page)));
    await page.goto(`${service.url}/api-keys`);
    await page.getByRole('link', { name: 'Manage' }).first().click();
    errors.push(...(await errorsOf(page)));
    await page.goto(`${service.url}/customers?only=all`);
    await page.getByRole('link', { name: 'u1' }).click();
    await page.getByRole('heading', { name: 'When and why it became unprofitable' }).waitFor();
    errors.push(...(await errorsOf(page)));
    await page.goto(`${service.url}/books`);
    await page.getByRole('button', { name: 'Verify everything now' }).click();
    errors.push(...(await errorsOf(page)));
    await page.goto(`${service.url}/personal-data`);
    await page.getByLabel('Customer').first().fill('u1');
    await page.getByLabel('Customer').first().press('Enter');
    await page.getByRole('button', { name: 'Erase permanently' }).waitFor();
    errors.push(...(await errorsOf(page)));
    await page.goto(`${service.url}/second-factor`);
    await page.getByLabel('Password').fill(service.firstRun.owner_password);
    await page.getByRole('button', { name: 'Set up' }).click();
    errors.push(...(await errorsOf(page)));
    expect(errors).toEqual([]);
  });

  it('every page of sample data is accessible too, and links back', async () => {
    const { page } = browser;
    const opened = await page.request.post(`${service.url}/graphql`, {
      headers: { 'x-requested-with': 'test' },
      data: { query: 'mutation { sampleDataOpen { userErrors { message } } }' },
    });
    expect(opened.status()).toBe(200);
    const errors: string[] = [];
    for (const path of ['/sample', '/', '/settings/payments']) {
      await page.goto(`${service.url}${path}`);
      errors.push(...(await errorsOf(page)));
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      expect([path, await page.evaluate(LARGE_FIGURES_CUT_OFF)]).toEqual([path, 0]);
      errors.push(...(await errorsOf(page)));
      await page.setViewportSize({ width: 1280, height: 900 });
    }
    await page.getByRole('button', { name: 'Remove sample data' }).click();
    await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor();
    expect(await page.getByText('not your data').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('every page about alerts is accessible', async () => {
    const { page } = browser;
    const errors: string[] = [];
    for (const path of ['rules/new', 'rules/new?kind=BUDGET', 'budgets', 'statements', 'channels', 'deliveries']) {
      await page.goto(`${service.url}/alerts/${path}`);
      errors.push(...(await errorsOf(page)));
    }
    await page.goto(`${service.url}/alerts`);
    errors.push(...(await errorsOf(page)));
    await page.locator('a[href^="/alerts/episodes/"]').first().click();
    errors.push(...(await errorsOf(page)));
    await page.goto(`${service.url}/alerts/rules/new?kind=THRESHOLD`);
    await page.getByLabel('Value (USD for costs)').fill('1');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('heading', { name: 'When it would have fired' }).waitFor();
    errors.push(...(await errorsOf(page)));
    expect(errors).toEqual([]);
  });

  it('the menus of a phone are accessible', async () => {
    const { page } = browser;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${service.url}/books`);
    const errors: string[] = [];
    for (const name of ['Menu', 'Settings pages']) {
      await page.getByRole('button', { name, exact: true }).click();
      errors.push(...(await errorsOf(page)));
      await page.keyboard.press('Escape');
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(errors).toEqual([]);
  });

  it('only figures are printed, no forms and no navigation', async () => {
    const { page } = browser;
    await page.emulateMedia({ media: 'print' });
    for (const path of [
      '/rates/commitments',
      '/rates/credits',
      '/allowances',
      '/books/bills',
      '/books/closing',
      '/what-if',
      '/notes',
    ]) {
      await page.goto(`${service.url}${path}`);
      const printed = page.locator(':is(input, select, textarea, button, nav):visible');
      expect([path, await printed.count()]).toEqual([path, 0]);
    }
    await page.emulateMedia({ media: 'screen' });
  });

  it('a printed bill lists the causes of its differences, and the values of its fields', async () => {
    const { page } = browser;
    const days = ['gpt-4o', 'gpt-4o-mini', 'o3'].map(
      (model) => `1791331200,1791417600,0.25,usd,"${model}, input",proj_a\n`,
    );
    const file = `start_time,end_time,amount_value,amount_currency,line_item,project_id\n${days.join('')}`;
    await page.goto(`${service.url}/books/bills`);
    const name = `costs-${scheme}.csv`;
    await page.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(file) });
    await page.getByRole('button', { name: 'Import' }).click();
    const cause = page.getByRole('link', { name: 'gpt-4o-mini' });
    await page.getByText('3 causes').waitFor();
    expect(await cause.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await cause.isVisible()).toBe(true);
    expect(await page.locator('td[data-label="Final after, hours"]').innerText()).toBe('12');
    await page.emulateMedia({ media: 'screen' });
  });

  it('every printed page names the organization and says when it was prepared', async () => {
    const { page } = browser;
    const prepared = page.locator('main > .printed');
    for (const path of ['/', '/alerts', '/allowances', '/audit-log', '/books/closing/statement?month=2026-09']) {
      await page.goto(`${service.url}${path}`);
      expect(await prepared.isVisible()).toBe(false);
      await page.emulateMedia({ media: 'print' });
      expect(await prepared.innerText()).toMatch(/^Default, prepared \d{1,2} \w+ \d{4}, \d\d:\d\d.UTC$/);
      await page.emulateMedia({ media: 'screen' });
    }
  });

  it('no page is wider than a small screen, and no table has to be scrolled sideways', async () => {
    const { page } = browser;
    await page.setViewportSize({ width: 360, height: 740 });
    for (const path of [
      '/',
      '/insights',
      '/what-if?window=90-days&model=gpt-4o&by=claude-sonnet-4-5',
      '/what-if/plan?window=90-days&flat=20&customers=all',
      '/costs?group=model,customer&compare=previous',
      '/margins',
      '/customers?only=all',
      '/customers?only=unlinked',
      '/outcomes',
      '/alerts/rules/new?kind=COST_PER_SUCCESS',
      '/events',
      '/rates?search=claude',
      '/alerts',
      '/alerts/rules/new?kind=THRESHOLD',
      '/alerts/budgets',
      '/alerts/statements',
      '/alerts/channels',
      '/exports',
      '/settings',
      '/api-keys',
      '/api-keys/new',
      '/sessions',
      '/password',
      '/second-factor',
      '/passkeys/new',
      '/audit-log',
      '/people',
      '/people/invite',
      '/books',
      '/settings/payments',
      '/settings/payments/customers',
      '/first-steps',
      '/first-steps/waiting',
      '/settings/currency',
      '/settings/organization',
      '/settings/dimensions',
      '/rates/waiting',
      '/rates/price?model=nobody-knows-it',
      '/rates/negotiated',
      '/books/closing',
      '/books/set-aside',
      '/books/not-understood',
      '/sources',
      '/sources/events?keys=test',
      '/personal-data',
      '/personal-data/organization',
      '/notes',
    ]) {
      await page.goto(`${service.url}${path}`);
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 360]);
      expect([path, await page.evaluate(SIDEWAYS)]).toEqual([path, []]);
    }
  });
});
