/**
 * Nothing that the service writes to its log or its databases contains a secret: someone who steals either cannot sign
 * in.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { get, graphql, post, settle, sign } from '../support/api-client.ts';
import { freePort } from '../support/free-port.ts';
import { freshTarget } from '../support/fresh-database.ts';
import { authorizationUrl, CALLBACK, DEVICE_GRANT, pkce, postForm, register } from '../support/oauth-requests.ts';
import type { OauthService } from '../support/oauth-service.ts';
import { start as standIn } from '../../packages/stripe-stand-in/server.ts';
import { asPages, signIn } from '../support/person.ts';
import { visitor } from '../support/visitor.ts';
import { type FirstRun, urlOf } from '../support/running-service.ts';
import { totpCode } from '../support/totp-code.ts';
import { usageEvent } from '../support/usage-event.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { MINUTES } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const NAMES = ['identity', 'costing', 'attribution', 'revenue', 'alerting', 'reconciliation'] as const;
const KEY = /sk_(?:live|test)_[0-9A-Za-z]{40}/;

/** Secrets that must not be found, by kind. */
const secrets = new Map<string, string>();
const targets: ConnectionTarget[] = [];
let log = '';
let dump = '';
let dataDirectory: string;

beforeAll(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'books-secrets-'));
  const serviceSecret = keep('service secret', randomBytes(32).toString('hex'));
  const port = await freePort();
  const environment: Record<string, string> = {
    DATA_DIR: dataDirectory,
    PORT: String(port),
    SERVICE_SECRET: serviceSecret,
    LOG_LEVEL: 'trace',
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    SMTP_URL: `smtp://books:${keep('password of the mail server', randomBytes(12).toString('hex'))}@127.0.0.1:9`,
    SMTP_FROM: 'books@example.com',
  };
  for (const name of NAMES) {
    const target = await freshTarget(name);
    targets.push(target);
    environment[`${name.toUpperCase()}_DATABASE_URL`] = urlOf(target);
  }
  const child = spawn(process.execPath, ['start/one-process.ts'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    const read = (text: Buffer) => {
      log += text.toString();
      if (log.includes('Ready in')) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(`The service ended:\n${log}`)));
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    const firstRun = JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8')) as FirstRun;
    await liveADay({ url: `http://127.0.0.1:${port}`, firstRun, serviceSecret });
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
  for (const target of targets) dump += await everyRow(target);
});
afterAll(() => rmSync(dataDirectory, { recursive: true, force: true }));

function keep(what: string, secret: string): string {
  secrets.set(what, secret);
  return secret;
}

/** Every action that handles a secret, successful and failed. */
async function liveADay(service: Pick<OauthService, 'url' | 'firstRun' | 'serviceSecret'>): Promise<void> {
  const { url, firstRun } = service;
  for (const name of [
    'operator_token',
    'owner_password',
    'live_read_key',
    'live_ingest_key',
    'test_ingest_key',
  ] as const)
    keep(name, firstRun[name]);
  await post(url, '/usage-events', firstRun.live_ingest_key, usageEvent());
  await post(url, '/usage-events', firstRun.test_ingest_key, usageEvent());
  await post(url, '/usage-events', firstRun.live_ingest_key, '{', {
    'x-signature': sign(firstRun.test_ingest_key, '1', '{'),
  });
  await get(
    url,
    `/ping?key=${firstRun.live_read_key}`,
    keep('unknown key', `sk_live_${randomBytes(20).toString('hex')}`),
  );
  await get(
    url,
    `/end-user-costs/${firstRun.live_read_key}/by-model?start_date=2026-01-01&end_date=2026-01-02`,
    firstRun.live_read_key,
  );
  await graphql(
    url,
    firstRun.operator_token,
    `mutation { organizationCreate(input: { name: "N", ownerEmail: "n@example.com", ownerPassword: "${keep('new password', 'a password nobody logs')}" }) { createdOrganization { ownerUserId } userErrors { message code } } }`,
  );
  await graphql(
    url,
    firstRun.operator_token,
    `mutation { organizationCreate(input: { nope: "${firstRun.live_read_key}" }) { createdOrganization { x } userErrors { message code } } }`,
  );
  for (const act of ['Create', 'Rotate']) {
    const { body: made } = await graphql(
      url,
      firstRun.operator_token,
      `mutation { made: operatorToken${act}(input: { name: "Ada" }) { newOperatorToken { token } } }`,
    );
    keep(`operator token, ${act.toLowerCase()}d`, made.data.made.newOperatorToken.token);
  }
  const processor = await standIn();
  processor.keys.set(keep('processor key', `rk_test_${randomBytes(16).toString('hex')}`), []);
  for (const key of [
    keep('wrong processor key', `rk_test_${randomBytes(16).toString('hex')}`),
    secrets.get('processor key'),
  ]) {
    const connect =
      'mutation ($input: RevenueConnectInput!) { revenueConnect(input: $input) { connection { state } userErrors { message } } }';
    await graphql(
      url,
      firstRun.operator_token,
      connect,
      { input: { apiKey: key, apiBase: processor.url } },
      firstRun.organization_id,
    );
  }
  await processor.stop();

  const receiver = await startWebhookReceiver();
  const slack = `/services/${keep('path of Slack', `T0/B0/${randomBytes(12).toString('hex')}`)}`;
  receiver.answers.push({ status: 500 }, { status: 500 });
  const save = `mutation ($input: AlertChannelSaveInput!) {
    alertChannelSave(input: $input) { secret alertChannel { id } userErrors { message } }
  }`;
  for (const [kind, target] of [
    ['WEBHOOK', `${receiver.url}/hooks`],
    ['SLACK', `${receiver.url}${slack}`],
    ['SLACK', `http://10.0.0.1${slack}`],
    ['EMAIL', 'alerts@example.com'],
  ]) {
    const ask = (document: string, variables: object) =>
      graphql(url, firstRun.operator_token, document, variables, firstRun.organization_id);
    const { alertChannelSave } = (await ask(save, { input: { kind, name: 'n', target } })).body.data;
    if (alertChannelSave.alertChannel === null) continue;
    const { id } = alertChannelSave.alertChannel;
    await ask('mutation ($id: ID!) { alertChannelTest(input: { id: $id }) { userErrors { message } } }', { id });
    if (kind !== 'WEBHOOK') continue;
    keep('signing secret', alertChannelSave.secret);
    const rotated = await ask('mutation ($id: ID!) { alertChannelSecretRotate(input: { id: $id }) { secret } }', {
      id,
    });
    keep('rotated signing secret', rotated.body.data.alertChannelSecretRotate.secret);
    await ask('mutation ($id: ID!) { alertChannelTest(input: { id: $id }) { userErrors { message } } }', { id });
  }
  await receiver.close();

  const person = await signIn(service);
  keep('session', person.session);
  const stranger = visitor(url);
  await stranger.submit('/sign-in', '/sign-in', {
    email: keep('password in the wrong field', 'my password by mistake'),
    password: keep('password on the page', 'a wrong one on the page'),
  });
  await stranger.get(`/activate?user_code=${keep('user code in a link', 'BCDF-GHJK')}`);
  for (const value of [...stranger.cookies.values()]) keep('cookie of a stranger', value);
  const wrong = {
    email: firstRun.owner_email,
    password: keep('wrong password', 'a wrong password, mistyped'),
    address: '203.0.113.9',
    userAgent: 'x',
  };
  await asPages(
    service,
    'mutation ($email: String!, $password: String!, $address: String!, $userAgent: String!) { signIn(email: $email, password: $password, address: $address, userAgent: $userAgent) { session { token } } }',
    wrong,
  );
  for (const environment of ['live', 'test']) {
    const { key } = await person.ask(
      'mutation ($environment: String!) { key: apiKeyCreate(input: {name: "k", environment: $environment, preset: "read"}) { createdApiKey { secret apiKey { id } } userErrors { message } } }',
      { environment },
    );
    keep(`${environment} key`, key.createdApiKey.secret);
    const { apiKeyRotate } = await person.ask(
      'mutation ($id: ID!) { apiKeyRotate(input: { id: $id }) { rotatedApiKey { apiKey keyInfo { apiKeyId } } userErrors { message } } }',
      { id: key.createdApiKey.apiKey.id },
    );
    keep(`rotated ${environment} key`, apiKeyRotate.rotatedApiKey.apiKey);
    if (environment === 'test')
      await person.ask(
        'mutation ($id: ID!) { apiKeyReveal(input: { id: $id }) { revealedApiKey { apiKey } userErrors { message code } } }',
        {
          id: apiKeyRotate.rotatedApiKey.keyInfo.apiKeyId,
        },
      );
  }

  const { body: client } = await register(url, { redirect_uris: [CALLBACK] });
  const { verifier, challenge } = pkce();
  const back = await person.authorize(authorizationUrl(url, client.client_id, challenge));
  const code = keep('authorization code', back.searchParams.get('code') ?? '');
  const form = {
    grant_type: 'authorization_code',
    client_id: client.client_id,
    code,
    redirect_uri: CALLBACK,
    code_verifier: keep('code verifier', verifier),
  };
  keep('OAuth key', (await postForm(url, '/oauth/token', form)).body.access_token);
  await postForm(url, '/oauth/token', form);
  const { body: device } = await postForm(url, '/oauth/device_authorization', { client_id: 'cli' });
  keep('device code', device.device_code);
  keep('user code', device.user_code);
  keep('user code without its hyphen', device.user_code.replace('-', ''));
  await person.decideDevice(device.user_code);
  const deviceKey = (
    await postForm(url, '/oauth/token', { grant_type: DEVICE_GRANT, client_id: 'cli', device_code: device.device_code })
  ).body.access_token;
  await postForm(url, '/oauth/revoke', { token: keep('device key', deviceKey) });

  const {
    secondFactorStart: {
      offer: { secret },
    },
  } = await person.ask(
    'mutation ($password: String!) { secondFactorStart(input: { password: $password }) { offer { secret } userErrors { message code } } }',
    {
      password: service.firstRun.owner_password,
    },
  );
  keep('second factor', secret);
  const {
    secondFactorConfirm: {
      recoveryCodes: { codes },
    },
  } = await person.ask(
    'mutation ($code: String!) { secondFactorConfirm(input: { code: $code }) { recoveryCodes { codes } userErrors { message code } } }',
    {
      code: totpCode(secret),
    },
  );
  for (const [index, recovery] of (codes as string[]).entries()) keep(`recovery code ${index}`, recovery);
  const { body } = await asPages(
    service,
    'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password, address: "203.0.113.9", userAgent: "x") { attempt { token } } }',
    { email: firstRun.owner_email, password: firstRun.owner_password },
  );
  const attempt = keep('sign-in attempt', body.data.signIn.attempt.token);
  const done = await asPages(
    service,
    'mutation ($attempt: String!, $code: String!) { completeSignIn(attempt: $attempt, code: $code, address: "203.0.113.9", userAgent: "x") { session { token } } }',
    { attempt, code: codes[0] },
  );
  keep('second session', done.body.data.completeSignIn.session.token);
  await settle(url, firstRun.operator_token);
}

/** Every row of every table as text; bytes in hexadecimal. */
function everyRow(target: ConnectionTarget): Promise<string> {
  return withClient(target, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
    );
    const texts = [];
    for (const { name } of tables)
      texts.push(
        ...(await client.query<{ row: string }>(`select t::text as row from ${name} t`)).rows.map(
          ({ row }) => `${name} ${row}`,
        ),
      );
    return texts.join('\n');
  });
}

it('the first output names the three variables of OpenTelemetry exporters, and no key', () => {
  const words = log.slice(log.indexOf('Ready in'), log.indexOf('Stop it'));
  const variables = [...words.matchAll(/^ +(OTEL_\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]);
  expect(variables).toEqual([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/otlp$/)],
    ['OTEL_EXPORTER_OTLP_HEADERS', '"Authorization=Bearer <API key>"'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf'],
  ]);
});

it('the actions have left data that can be searched for secrets', () => {
  expect(log.split('\n').length).toBeGreaterThan(30);
  for (const trace of ['api_key.created', 'authorization_code.reused', 'connected', 'The receiver responded with 500'])
    expect(dump).toContain(trace);
  expect(secrets.size).toBeGreaterThan(30);
});

it.each([
  ['the log', () => log],
  ['the databases', () => dump],
])('%s contains no secret that was used', (_, text) => {
  const found = [...secrets]
    .filter(([, secret]) => spellings(secret).some((spelling) => text().includes(spelling)))
    .map(([what]) => what);
  expect(found).toEqual([]);
});

it.each([
  ['the log', () => log],
  ['the databases', () => dump],
])('%s contains nothing that looks like a key', (_, text) => {
  expect(KEY.exec(text())).toBeNull();
});

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ];
}
