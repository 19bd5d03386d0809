/** Codes of one-time links: never in a URL that a server or a `Referer` receives, and in no line of the log. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loggedLines } from '../support/logged-lines.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { PATIENCE } from '../support/patience.ts';
import { type RunningService, runningService } from '../support/running-service.ts';
import { askAs, signedIn, visitor, type Visitor } from '../support/visitor.ts';

const { log, lines } = loggedLines('trace');
let mailServer: MailServer;
let service: RunningService;
let owner: Visitor;

beforeAll(async () => {
  mailServer = await startMailServer();
  service = await runningService(
    { LOG_LEVEL: 'trace', SMTP_URL: mailServer.url, SMTP_FROM: 'books@example.com' },
    { log },
  );
  owner = await signedIn(service.url, service.firstRun);
});
afterAll(async () => {
  await service.stop();
  await mailServer.close();
});

async function invite(): Promise<string> {
  const { data } = await askAs(
    owner,
    'mutation { accountUserInvite(input: { email: "new@example.com" }) { createdInvitation { url } userErrors { message } } }',
  );
  return data.accountUserInvite.createdInvitation.url;
}

/** Starts a password reset of the account that the invitation created. */
async function startReset(): Promise<string> {
  const { data } = await askAs(owner, '{ accountUsers { id email } }');
  const id = data.accountUsers.find(({ email }: { email: string }) => email === 'new@example.com').id;
  const started = await askAs(
    owner,
    `mutation { accountUserStartPasswordReset(input: { id: "${id}" }) { link { url } userErrors { message } } }`,
  );
  return started.data.accountUserStartPasswordReset.link.url;
}

async function mailConfirmation(): Promise<string> {
  const target = { kind: 'EMAIL', name: 'Finance', target: 'finance@example.com' };
  await owner.answer(await owner.get('/alerts/channels'), '/alerts/channels', target);
  await expect.poll(() => mailServer.mails.length, PATIENCE).toBe(1);
  const text = mailServer.mails[0]!.text.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
  return /http\S+\/confirm-address\S*/.exec(text)![0];
}

const PASSWORD = { password: 'a password of their own', repeated: 'a password of their own' };

// In this order, because the reset is for the account that the invitation creates.
it.each<readonly [string, string, () => Promise<string>, Record<string, string>]>([
  ['an invitation', '/sign-in/invitation', invite, PASSWORD],
  ['a password reset', '/sign-in/new-password', startReset, { ...PASSWORD }],
  ['the confirmation of an e-mail address', '/confirm-address', mailConfirmation, {}],
])('the link for %s has its code in the fragment', async (_what, path, create, answer) => {
  const link = new URL(await create());
  expect(link).toMatchObject({ pathname: path, search: '', hash: expect.stringMatching(/^#[\w-]{43}$/) });
  const code = link.hash.slice(1);
  const holder = visitor(service.url);
  const entry = await holder.get(path);
  const opened = await holder.answer(entry, `${path}/open`, { token: link.href });
  const done = await holder.answer(opened, path, answer);
  for (const page of [entry, opened, done]) {
    expect(page.status).toBeLessThan(400);
    expect([page.headers.get('referrer-policy'), page.headers.get('cache-control')]).toEqual([
      'no-referrer',
      'no-store',
    ]);
    expect(page.location ?? '').not.toContain(code);
    // No page leads to another site, so that none receives the page's URL.
    expect(page.html).not.toMatch(/(?:href|src|action)="(?:https?:)?\/\//);
  }
  expect([holder.cookies.size > 0, JSON.stringify([...holder.cookies])]).toEqual([
    true,
    expect.not.stringContaining(code),
  ]);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => JSON.stringify(line).includes(code))).toEqual([]);
});

it('a device: its secret is in no link, and the code of the link grants nothing by itself', async () => {
  const response = await fetch(`${service.url}/v1/oauth/device_authorization`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'cli' }),
  });
  const device = (await response.json()) as Record<string, string>;
  expect(device['verification_uri_complete']).not.toContain(device['device_code']);
  const exchange = await fetch(`${service.url}/v1/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: 'cli',
      device_code: device['user_code']!,
    }),
  });
  expect(exchange.status).toBe(400);
  await owner.get(
    new URL(device['verification_uri_complete']!).pathname + new URL(device['verification_uri_complete']!).search,
  );
  for (const code of ['device_code', 'user_code'])
    expect(lines.filter((line) => JSON.stringify(line).includes(device[code]!))).toEqual([]);
});
