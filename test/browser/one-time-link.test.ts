/** The code of a one-time link is never sent in a URL: a script submits it in a form, or a person pastes the link. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningService, runningService } from '../support/running-service.ts';
import { askAs, signedIn, type Visitor } from '../support/visitor.ts';
import { openBrowser } from './open-browser.ts';

let service: RunningService;
let owner: Visitor;

beforeAll(async () => {
  service = await runningService();
  owner = await signedIn(service.url, service.firstRun);
});
afterAll(() => service.stop());

it.each([true, false])('an invitation can be opened, with scripts: %s', async (script) => {
  const email = `script-${script}@example.com`;
  const answer = await askAs(
    owner,
    'mutation ($email: String!) { accountUserInvite(input: { email: $email }) { createdInvitation { url } userErrors { message } } }',
    { email },
  );
  const link = new URL(answer.data.accountUserInvite.createdInvitation.url as string);
  const code = link.hash.slice(1);
  expect(code).toMatch(/^[\w-]{43}$/);
  const browser = await openBrowser({ script });
  try {
    const { page } = browser;
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.goto(`${service.url}${link.pathname}${link.hash}`);
    if (!script) {
      await page.getByLabel('Link').fill(link.href);
      await page.getByRole('button', { name: 'Continue' }).click();
    }
    await page.getByText(email).waitFor();
    // Browser tools can see fragments, but no server receives them.
    expect(requested.filter((url) => url.split('#', 1)[0]?.includes(code))).toEqual([]);
    expect(page.url()).not.toContain(code);
    for (const label of ['Password', 'Confirm password'])
      await page.getByLabel(label, { exact: true }).fill('a password of their own');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.waitForURL((url) => url.pathname === '/sign-in');
    expect(browser.complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});
