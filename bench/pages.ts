/** Load time of every page of a large organization, and problems that axe or a phone-sized screen finds on it. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { chromium, type Page } from 'playwright-core';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { connectDatabase } from './support/database-connection.ts';
import { openFilledOrganization } from './read/filled-organization.ts';
import { loadRevenue } from './read/load-revenue.ts';
import { undoLater } from './support/cleanup.ts';
import type { BenchOptions } from './support/options.ts';
import { OWNER_PASSWORD, ownerEmail } from './support/organization.ts';
import type { Figure, Report } from './support/report.ts';
import { median, spread } from './support/statistics.ts';

const CUSTOMERS = 10_000;
const EVENTS = 1_000_000;
const MONTHS = 3;
const CHROMIUM = '/usr/bin/chromium';
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** A page that takes longer feels slow. */
const MILLISECONDS_MAX = 1_000;
const PAGES = [
  '/',
  '/?window=year',
  '/costs?window=90-days',
  '/costs?window=90-days&group=customer',
  '/costs?window=90-days&group=model,customer&compare=previous',
  '/margins?window=90-days',
  '/customers?window=90-days',
  '/customers?only=all&search=1',
  '/events',
  '/events?sort=-cost',
  '/rates',
  '/what-if?window=90-days&model=tuned-29&by=tuned-00',
  '/what-if/plan?window=90-days&flat=20&customers=all',
  '/sources',
  '/books',
  '/books/not-understood',
  '/settings/payments/customers',
  '/rates/waiting',
];
/** On these pages, the first row links to its own page. */
const FIRST_ROWS = ['/customers?window=90-days', '/events'];

export async function measurePages({ rounds, progress }: BenchOptions): Promise<Report> {
  const organization = await openFilledOrganization({ progress });
  const { service, organizationId, end } = organization;
  const { client: revenue } = await connectDatabase(service.dataDirectory, 'revenue');
  await organization.growTo(EVENTS);
  await organization.addUpDays();
  const first = new Date(end);
  first.setUTCMonth(first.getUTCMonth() - MONTHS);
  await loadRevenue(revenue, organizationId, { customers: CUSTOMERS, first, months: MONTHS });

  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  const close = undoLater(() => browser.close());
  const page = await browser.newPage({ viewport: WIDE });
  await signIn(page, service.url);
  const paths = [...PAGES];
  for (const path of FIRST_ROWS) {
    await page.goto(service.url + path);
    const link = await page.locator('tbody tr:first-child th a').first().getAttribute('href');
    if (link !== null) paths.push(link);
  }
  const figures: Figure[] = [];
  const wrong: string[] = [];
  for (const path of paths) {
    const taken: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const started = elapsedMilliseconds();
      const answer = await page.goto(service.url + path, { waitUntil: 'commit' });
      await answer?.finished();
      taken.push(elapsedMilliseconds() - started);
      if (answer?.status() !== 200) wrong.push(`${path} answered ${answer?.status()}`);
    }
    progress(`pages: ${path}, ${Math.round(median(taken))} ms`);
    figures.push({ name: path, value: median(taken), unit: 'ms', spread: spread(taken), atMost: MILLISECONDS_MAX });
    wrong.push(...(await problemsOf(page, path)));
  }
  figures.push({ name: 'problems', value: wrong.length, unit: 'found', atMost: 0 });
  await close();
  await organization.stop();
  return {
    benchmark: 'pages',
    figures,
    notes: [
      `${CUSTOMERS.toLocaleString('en')} paying customers and ${EVENTS.toLocaleString('en')} events; each page is loaded completely by Chromium.`,
      'Problems are findings of axe in light or dark mode, pages that are wider than a phone, and failed panels.',
      ...wrong,
    ],
  };
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/sign-in`);
  await page.getByLabel('E-mail address').fill(ownerEmail('Filled'));
  await page.getByLabel('Password').fill(OWNER_PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(`${url}/`);
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function problemsOf(page: Page, path: string): Promise<string[]> {
  const problems: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe);
    const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      'axe.run(document, { resultTypes: ["violations"] })',
    );
    for (const { id, nodes } of violations)
      problems.push(`${path}: ${id} in ${colorScheme}: ${nodes[0]?.html.slice(0, 120)}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(PHONE);
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  if (width > PHONE.width) problems.push(`${path}: ${width} pixels wide on a phone`);
  await page.setViewportSize(WIDE);
  const failed = await page.locator('[role=alert], .failed').allTextContents();
  for (const text of failed) problems.push(`${path}: ${text.trim().slice(0, 120)}`);
  return problems;
}
