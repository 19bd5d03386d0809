/** The reference page: its guides, and its request form, which signs the requests. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { projectFiles, projectText } from '../support/project-files.ts';
import { type RunningService, runningService } from '../support/running-service.ts';
import { type OpenBrowser, openBrowser } from './open-browser.ts';

let service: RunningService;
let browser: OpenBrowser;

beforeAll(async () => {
  // The document contains the service's address.
  service = await runningService({ PORT: String(await freePort()) });
});
afterAll(() => service.stop());
beforeEach(async () => {
  browser = await openBrowser({ script: true });
});
afterEach(async () => {
  expect(browser.complaints).toEqual([]);
  await browser.close();
});

/** Sends the displayed example of an endpoint, with a key. */
async function tryOut(
  path: string,
  key: string,
  url = service.url,
): Promise<{ status: number; sent: string[]; body: any }> {
  const { page } = browser;
  const { pathname } = new URL(`${service.url}${path.startsWith('/ext') ? path : `/v1${path}`}`);
  await page.goto(`${url}/docs#tag/ingestion/POST${path}`);
  await page
    .locator('button', { hasText: `(post ${path})` })
    .first()
    .click();
  await page.getByPlaceholder('Token').last().fill(key);
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === pathname);
  await page.getByRole('button', { name: /^Send/ }).last().click();
  const response = await answered;
  const headers = await response.request().allHeaders();
  const sent = ['x-timestamp', 'x-signature'].map((name) => headers[name] ?? 'none');
  return { status: response.status(), sent, body: await response.json() };
}

it.each(['/usage-events/batch', '/ext/v1/provider-responses'])(
  'the API reference signs a console request to %s with the typed key',
  async (path) => {
    const { status, sent, body } = await tryOut(path, service.firstRun.live_ingest_key);
    expect([status, JSON.stringify(body)]).toEqual([202, expect.stringContaining('accepted')]);
    expect(sent).toEqual([expect.stringMatching(/^\d{10}$/), expect.stringMatching(/^v1=[0-9a-f]{64}$/)]);
  },
);

it('the API reference sends console requests to the host name by which the page was opened', async () => {
  const url = service.url.replace('127.0.0.1', 'localhost');
  const { status } = await tryOut('/usage-events/batch', service.firstRun.live_ingest_key, url);
  expect(status).toBe(202);
});

it('the API reference contains every guide, with the address of this service', async () => {
  const { info } = (await (await fetch(`${service.url}/docs/openapi.json`)).json()) as {
    info: { description: string };
  };
  const titles = projectFiles('docs/guides/').map((path) => /^# (.+)$/m.exec(projectText(path))![1]!);
  expect(titles.length).toBeGreaterThan(8);
  for (const title of titles) expect(info.description).toContain(`\n## ${title}\n`);
  expect(info.description).not.toContain('127.0.0.1:8080');

  const { page } = browser;
  await page.goto(`${service.url}/docs`);
  await page.getByRole('heading', { name: 'Usage from OpenTelemetry' }).first().waitFor();
  const link = page.locator('a', { hasText: /^how$/ }).first();
  await link.scrollIntoViewIfNeeded();
  await link.click();
  expect(new URL(page.url()).hash).toBe('#description/usage-from-opentelemetry');
});
