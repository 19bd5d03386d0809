/**
 * A service's secret changes, and nobody is locked out: stored values can be decrypted before, during and after the
 * change, or the start stops and names the values that cannot.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readConfig } from '#platform/config.ts';
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { keyRing } from '#platform/key-ring.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { GATEWAY, signPrincipal } from '#platform/transports/signed-principal.ts';
import { type Service, startService } from '../../start/start-service.ts';
import { graphql } from '../support/api-client.ts';
import { freePort } from '../support/free-port.ts';
import { serviceTarget } from '../support/fresh-database.ts';
import { postForm } from '../support/oauth-requests.ts';
import { type FirstRun, urlOf } from '../support/running-service.ts';
import { recoveryHashAsBefore, sealAsBefore, userCodeHashAsBefore } from '../support/seal-of-before.ts';
import { sealingUnder } from '../support/sealing.ts';
import { start as startStandIn, type StripeStandIn } from '../../packages/stripe-stand-in/server.ts';
import { totpCode } from '../support/totp-code.ts';
import { signedIn, type Visitor, visitor } from '../support/visitor.ts';
import { MINUTES } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const A = 'the first secret, which the service has had from its beginning';
const B = 'the second secret, which takes the place of the first';
const C = 'the third secret, under which nothing was ever encrypted';
const APART = 'the fourth secret, for encryption at rest and nothing else';
const PROCESSOR_KEY = `rk_test_${'x'.repeat(24)}`;
const UUID = '[0-9a-f-]{36}';

const NAMES = ['identity', 'costing', 'attribution', 'revenue', 'alerting', 'reconciliation'] as const;

/** A service whose process is restarted with other settings; its databases and its data directory stay. */
async function installation() {
  const directory = mkdtempSync(join(tmpdir(), 'books-secret-'));
  const port = await freePort();
  const targets = new Map<string, ConnectionTarget>();
  for (const name of NAMES) targets.set(name, await serviceTarget(name));
  const log: string[] = [];
  let service: Service | null = null;
  const url = `http://127.0.0.1:${port}`;
  const rows = <Row extends object>(name: (typeof NAMES)[number], sql: string, parameters: unknown[] = []) =>
    withClient(targets.get(name)!, async (client) => (await client.query<Row>(sql, parameters)).rows);
  const stop = async () => {
    await service?.stop();
    service = null;
  };
  return {
    url,
    directory,
    log,
    rows,
    stop,
    async start(settings: Record<string, string>) {
      await stop();
      const databases = Object.fromEntries(
        [...targets].map(([name, target]) => [`${name.toUpperCase()}_DATABASE_URL`, urlOf(target)]),
      );
      const config = readConfig({
        DATA_DIR: directory,
        PORT: String(port),
        READ_RATE_LIMIT: '100000;w=900',
        ...databases,
        ...settings,
      });
      service = await startService(config, {
        log: pino({ level: 'debug' }, { write: (line: string) => log.push(line) }),
      });
    },
    firstRun: () => JSON.parse(readFileSync(join(directory, 'first-run.json'), 'utf8')) as FirstRun,
    admin: (...words: string[]) =>
      new Promise<{ code: number; json: never; stderr: string }>((resolve) => {
        const { PATH, NODE_COMPILE_CACHE } = process.env;
        const env = { PATH, NODE_COMPILE_CACHE, ADMIN_URL: url, DATA_DIR: directory };
        execFile(
          process.execPath,
          ['--disable-warning=ExperimentalWarning', 'cli/admin/main.ts', ...words, '--json'],
          { env },
          (error, stdout, stderr) =>
            resolve({ code: error ? Number(error.code) : 0, json: JSON.parse(stdout || 'null') as never, stderr }),
        );
      }),
    async remove() {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

type Installation = Awaited<ReturnType<typeof installation>>;

/** Data of a person and an organization that a secret protects. */
interface Belongings {
  readonly person: Visitor;
  readonly secret: string;
  readonly codes: string[];
  readonly testKeyId: string;
}

async function ask(url: string, { cookies }: Visitor, query: string, variables: object = {}) {
  const headers = {
    'content-type': 'application/json',
    cookie: `session=${cookies.get('session') ?? ''}`,
    'x-requested-with': 'test',
  };
  return (
    await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query, variables }) })
  ).json() as Promise<{
    data: any;
    errors?: { message: string; extensions: { code: string } }[];
  }>;
}

async function settleIn(here: Installation, standIn: StripeStandIn): Promise<Belongings> {
  const { firstRun, url } = here;
  const person = await signedIn(url, firstRun());
  const {
    data: {
      secondFactorStart: {
        offer: { secret },
      },
    },
  } = await ask(
    url,
    person,
    'mutation ($password: String!) { secondFactorStart(input: { password: $password }) { offer { secret } userErrors { message code } } }',
    {
      password: firstRun().owner_password,
    },
  );
  const confirm =
    'mutation ($code: String!) { secondFactorConfirm(input: { code: $code }) { recoveryCodes { codes session { token } } userErrors { message code } } }';
  const {
    data: {
      secondFactorConfirm: {
        recoveryCodes: { codes, session },
      },
    },
  } = await ask(url, person, confirm, { code: totpCode(secret) });
  person.cookies.set('session', session.token);
  const {
    data: { apiKeys },
  } = await ask(url, person, '{ apiKeys { id environment } }');
  standIn.keys.set(PROCESSOR_KEY, []);
  const { operator_token: token, organization_id: organization } = firstRun();
  const input = { apiKey: PROCESSOR_KEY, apiBase: standIn.url };
  const { body } = await graphql(
    url,
    token,
    'mutation ($input: RevenueConnectInput!) { revenueConnect(input: $input) { connection { state } userErrors { message } } }',
    { input },
    organization,
  );
  expect(body.data.revenueConnect.connection.state).toBe('CONNECTED');
  return {
    person,
    secret,
    codes,
    testKeyId: apiKeys.find(({ environment }: { environment: string }) => environment === 'TEST').id,
  };
}

async function secondStep(here: Installation, path: 'second-step' | 'recovery-code', code: string) {
  const { owner_email: email, owner_password: password } = here.firstRun();
  await here.rows('identity', 'update second_factor set last_step = 0');
  const browser = visitor(here.url);
  await browser.submit('/sign-in', '/sign-in', { email, password });
  const answer = await browser.submit(`/sign-in/${path}`, `/sign-in/${path}`, { code });
  return { ...answer, isSignedIn: browser.cookies.has('session') };
}

/** Uses every kind of stored encrypted value. Spends one recovery code. */
async function expectAllToWork(here: Installation, { person, secret, codes, testKeyId }: Belongings): Promise<void> {
  const { operator_token: token, organization_id: organization, test_ingest_key: testKey } = here.firstRun();
  expect((await person.get('/api-keys')).status).toBe(200);
  expect(
    await ask(
      here.url,
      person,
      'mutation ($id: ID!) { apiKeyReveal(input: { id: $id }) { revealedApiKey { apiKey } userErrors { message code } } }',
      { id: testKeyId },
    ),
  ).toEqual({ data: { apiKeyReveal: { revealedApiKey: { apiKey: testKey }, userErrors: [] } } });
  expect(await secondStep(here, 'second-step', totpCode(secret))).toMatchObject({ status: 303, isSignedIn: true });
  expect(await secondStep(here, 'recovery-code', codes.pop()!)).toMatchObject({ status: 303, isSignedIn: true });
  // If a sync step failed because the key could not be decrypted, the next one is far in the future.
  await graphql(
    here.url,
    token,
    'mutation { revenueSync(input: { waitSeconds: 20 }) { run { state } userErrors { message } } }',
    {},
    organization,
  );
  const checked = await graphql(
    here.url,
    token,
    'mutation { revenueCheck { connection { state } userErrors { message } } }',
    {},
    organization,
  );
  expect(checked.body).toEqual({ data: { revenueCheck: { connection: { state: 'CONNECTED' }, userErrors: [] } } });
}

async function statusOfSigned(here: Installation, secret: string): Promise<number> {
  const principal = signPrincipal(servicePrincipal('test', 'test'), GATEWAY, keyRing('signing', [secret]));
  const headers = { 'content-type': 'application/json', 'x-principal': principal };
  return (
    await fetch(`${here.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: '{ __typename }' }) })
  ).status;
}

/** Rewrites the databases as the version before key ids left them. */
async function rewriteAsBefore(
  here: Installation,
  { codes, userCode }: Belongings & { userCode: string },
  secret: string,
): Promise<void> {
  const sealing = sealingUnder(secret);
  const tables = [
    ['identity', 'second_factor', 'sealed', 'account_user_id', 'second-factor'],
    ['identity', 'api_key', 'sealed', 'id', 'api-key'],
    ['revenue', 'payment_connection', 'sealed_key', 'id', 'revenue.payment-connection'],
  ] as const;
  for (const [database, table, column, bound, purpose] of tables) {
    for (const { id, sealed } of await here.rows<{ id: string; sealed: Buffer }>(
      database,
      `select ${bound} as id, ${column} as sealed from ${table} where ${column} is not null`,
    )) {
      const before = sealAsBefore(sealing.unseal(sealed, purpose, id), secret, purpose, id);
      await here.rows(database, `update ${table} set ${column} = $2 where ${bound} = $1`, [id, before]);
    }
  }
  const [user] = await here.rows<{ id: string; organization: string }>(
    'identity',
    'select account_user_id as id, organization_id as organization from recovery_code limit 1',
  );
  await here.rows('identity', 'delete from recovery_code');
  for (const code of codes) {
    await here.rows(
      'identity',
      'insert into recovery_code (organization_id, account_user_id, hash) values ($1, $2, $3)',
      [user!.organization, user!.id, recoveryHashAsBefore(code, user!.id, secret)],
    );
  }
  await here.rows('identity', 'delete from recovery_code_key');
  await here.rows('identity', 'update device_login set user_code_hash = $1', [userCodeHashAsBefore(userCode, secret)]);
}

describe.each([
  [
    'stored with key ids',
    async () => {},
    /^SERVICE_SECRET does not decrypt 1 second factor, 1 test key, 1 recovery-code key and 1 payment connection, which were encrypted with key [0-9a-f]{16} /,
  ],
  [
    'stored before there were key ids',
    rewriteAsBefore,
    /^SERVICE_SECRET does not decrypt 1 second factor, 1 test key and 1 payment connection, which were encrypted with a key from before key ids /,
  ],
])('a value that was %s', (_, rewrite, refusal) => {
  let here: Installation;
  let standIn: StripeStandIn;
  let belongings: Belongings;
  let page: Awaited<ReturnType<Visitor['get']>>;
  let userCode: string;

  beforeAll(async () => {
    [here, standIn] = [await installation(), await startStandIn()];
    await here.start({ SERVICE_SECRET: A });
    belongings = await settleIn(here, standIn);
    await expectAllToWork(here, belongings);
    page = await belongings.person.get('/activate');
    userCode = (await postForm(here.url, '/oauth/device_authorization', { client_id: 'cli' })).body.user_code;
    await here.stop();
    await rewrite(here, { ...belongings, userCode }, A);
  });
  afterAll(async () => {
    await here.remove();
    await standIn.stop();
  });

  it('stops a start with another secret, which names the unreadable values and the settings, and changes nothing', async () => {
    const before = await everySealed(here);
    const error = await here.start({ SERVICE_SECRET: B }).then(
      () => null,
      (error: unknown) => error as { name: string; errors: string[] },
    );
    expect(error).toMatchObject({ name: 'ConfigError', errors: [expect.stringMatching(refusal)] });
    expect(error!.errors[0]).toContain('set SERVICE_SECRET_PREVIOUS');
    expect(error!.errors[0]).not.toMatch(/first secret|second secret/);
    expect(await everySealed(here)).toEqual(before);
  });

  it('can be decrypted under a new secret next to the old one; sessions, open forms, device logins and principals stay valid', async () => {
    await here.start({ SERVICE_SECRET: B, SERVICE_SECRET_PREVIOUS: JSON.stringify([A]) });
    await expectAllToWork(here, belongings);
    expect(await Promise.all([A, B, C].map((secret) => statusOfSigned(here, secret)))).toEqual([200, 200, 401]);
    const claimed = await belongings.person.answer(page, '/activate', { user_code: userCode });
    expect([claimed.status, claimed.html]).toEqual([200, expect.stringContaining('action="/activate/decision"')]);
  });

  it('is re-encrypted by a command that reports what it did, is repeatable, and makes the old secret unnecessary', async () => {
    const current = keyRing('encryption', [B]).current.id;
    const first = await here.admin('secrets', 'reseal');
    expect(first).toMatchObject({ code: 0, stderr: '', json: { key_id: current, left: 0 } });
    const { kinds, resealed } = first.json as {
      kinds: { kind: string; resealed: number; unreadable: number }[];
      resealed: number;
    };
    expect(kinds.map(({ kind, unreadable }) => [kind, unreadable])).toEqual([
      ['second factors', 0],
      ['test keys', 0],
      ['recovery-code keys', 0],
      ['payment connections', 0],
      ['secrets of alert channels', 0],
      ['earlier secrets of alert channels', 0],
      ['secret access keys of scheduled exports', 0],
      ['admin keys of providers', 0],
    ]);
    expect(kinds.filter(({ kind }) => kind !== 'recovery-code keys').map(({ resealed: count }) => count)).toEqual([
      1, 1, 1, 0, 0, 0, 0,
    ]);
    expect(resealed).toBeGreaterThanOrEqual(3);
    expect((await here.admin('secrets', 'reseal')).json).toMatchObject({ resealed: 0, left: 0 });
    const { json: status } = await here.admin('secrets', 'status');
    expect(new Set((status as { key_id: string }[]).map(({ key_id: id }) => id))).toEqual(new Set([current]));
    await here.start({ SERVICE_SECRET: B });
    await expectAllToWork(here, belongings);
    await here.stop();
    await expect(here.start({ SERVICE_SECRET: A })).rejects.toMatchObject({ name: 'ConfigError' });
  });

  // After that, all values have key ids.
  if (rewrite === rewriteAsBefore) return;

  it('moves to a separate encryption secret, after which the service secret decrypts nothing', async () => {
    await here.start({ SERVICE_SECRET: B, ENCRYPTION_SECRET: APART });
    await expectAllToWork(here, belongings);
    expect(await here.admin('secrets', 'reseal')).toMatchObject({
      code: 0,
      json: { key_id: keyRing('encryption', [APART]).current.id, left: 0 },
    });
    await here.stop();
    await expect(here.start({ SERVICE_SECRET: B })).rejects.toMatchObject({ name: 'ConfigError' });
    await here.start({ SERVICE_SECRET: C, ENCRYPTION_SECRET: APART });
    await expectAllToWork(here, belongings);
  });

  it('that cannot be decrypted causes a clear error and is not lost, in a service that was started anyway', async () => {
    await here.start({ SERVICE_SECRET: C, UNREADABLE_SECRETS: 'accept' });
    await here.rows('revenue', "update payment_connection set due_at = now() - interval '1 second'");
    const failing = 'select last_error from payment_connection where last_error is not null';
    await expect.poll(() => here.rows('revenue', failing)).toHaveLength(1);
    const { operator_token: token, organization_id: organization } = here.firstRun();
    const { person, testKeyId, secret, codes } = belongings;
    const revealed = await ask(
      here.url,
      person,
      'mutation ($id: ID!) { apiKeyReveal(input: { id: $id }) { revealedApiKey { apiKey } userErrors { message code } } }',
      {
        id: testKeyId,
      },
    );
    const checked = await graphql(
      here.url,
      token,
      'mutation { revenueCheck { connection { state } userErrors { message } } }',
      {},
      organization,
    );
    const missing = {
      message: expect.stringContaining(`the secret of key ${keyRing('encryption', [APART]).current.id}`),
      extensions: expect.objectContaining({ code: 'SECRET_UNREADABLE' }),
    };
    expect([revealed.errors, checked.body.errors]).toEqual([
      [expect.objectContaining(missing)],
      [expect.objectContaining(missing)],
    ]);
    for (const answer of [
      await secondStep(here, 'second-step', totpCode(secret)),
      await secondStep(here, 'recovery-code', codes[0]!),
    ]) {
      expect(answer).toMatchObject({ status: 503, isSignedIn: false });
      expect(answer.html).toContain('the operator of the service has to restore the secret of key');
      expect(answer.html).not.toMatch(/wrong or was used before|Something went wrong/);
    }
    expect(await here.admin('secrets', 'reseal')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('1 second factors'),
      json: { resealed: 0 },
    });
    expect(await here.admin('secrets', 'status')).toMatchObject({ code: 1 });
    await here.start({ SERVICE_SECRET: C, ENCRYPTION_SECRET: APART });
    await expectAllToWork(here, belongings);
  });

  it('is refused after tampering', async () => {
    for (const [database, table, column] of [
      ['identity', 'second_factor', 'sealed'],
      ['identity', 'api_key', 'sealed'],
      ['revenue', 'payment_connection', 'sealed_key'],
    ] as const) {
      await here.rows(
        database,
        `update ${table} set ${column} = set_byte(${column}, 30, get_byte(${column}, 30) # 1) where ${column} is not null`,
      );
    }
    const { operator_token: token, organization_id: organization } = here.firstRun();
    const revealed = await ask(
      here.url,
      belongings.person,
      'mutation ($id: ID!) { apiKeyReveal(input: { id: $id }) { revealedApiKey { apiKey } userErrors { message code } } }',
      { id: belongings.testKeyId },
    );
    const checked = await graphql(
      here.url,
      token,
      'mutation { revenueCheck { connection { state } userErrors { message } } }',
      {},
      organization,
    );
    for (const errors of [revealed.errors, checked.body.errors]) {
      expect(errors).toEqual([
        expect.objectContaining({
          message: expect.stringContaining('was changed and cannot be decrypted'),
          extensions: expect.objectContaining({ code: 'SECRET_UNREADABLE' }),
        }),
      ]);
    }
    expect(await secondStep(here, 'second-step', totpCode(belongings.secret))).toMatchObject({
      status: 503,
      isSignedIn: false,
    });
    expect(await secondStep(here, 'recovery-code', belongings.codes.pop()!)).toMatchObject({
      status: 303,
      isSignedIn: true,
    });
  });

  it('under a lost secret is discarded on request, and the service starts normally again', async () => {
    await here.start({ SERVICE_SECRET: C, UNREADABLE_SECRETS: 'accept' });
    const input = await here.admin('secrets', 'reseal', '--discard-unreadable');
    expect(input).toMatchObject({ code: 0, json: { left: 0 } });
    const { kinds } = input.json as { kinds: { kind: string; discarded: number }[] };
    expect(kinds.filter(({ discarded }) => discarded > 0).map(({ kind }) => kind)).toEqual([
      'second factors',
      'test keys',
      'recovery-code keys',
      'payment connections',
    ]);
    await here.start({ SERVICE_SECRET: C });
    const { operator_token: token, organization_id: organization } = here.firstRun();
    const person = await signedIn(here.url, here.firstRun());
    const revealed = await ask(
      here.url,
      person,
      'mutation ($id: ID!) { apiKeyReveal(input: { id: $id }) { revealedApiKey { apiKey } userErrors { message code } } }',
      {
        id: belongings.testKeyId,
      },
    );
    expect(revealed.data.apiKeyReveal).toEqual({
      revealedApiKey: null,
      userErrors: [{ message: expect.stringContaining('rotate it'), code: 'VALIDATION_ERROR' }],
    });
    const records = await graphql(
      here.url,
      token,
      '{ auditLog { nodes { action actor } } revenueAuditLog { nodes { action actor detail } } revenueConnection { state } }',
      {},
      organization,
    );
    expect(records.body.data.auditLog.nodes).toContainEqual({ action: 'second_factor.discarded', actor: 'OPERATOR' });
    expect(records.body.data.revenueAuditLog.nodes).toContainEqual({
      action: 'connection.disconnected',
      actor: 'OPERATOR',
      detail: 'its key was lost',
    });
    expect(records.body.data.revenueConnection.state).toBe('DISCONNECTED');
    expect(await here.rows('identity', 'select 1 from recovery_code')).toEqual([]);
    expect(
      (await graphql(here.url, token, '{ auditLog { nodes { action } } }')).body.data.auditLog.nodes,
    ).toContainEqual({
      action: 'secrets.discarded',
    });
  });

  it('leaves no secret in the log, which names what could not be decrypted', () => {
    const log = here.log.join('');
    expect(log).toMatch(new RegExp(`"purpose":"second-factor","belongsTo":"${UUID}","keyId":"[0-9a-f]{16}"`));
    for (const secret of [
      A,
      B,
      C,
      APART,
      PROCESSOR_KEY,
      belongings.secret,
      here.firstRun().test_ingest_key,
      ...belongings.codes,
    ])
      expect(log).not.toContain(secret);
  });
});

async function everySealed(here: Installation): Promise<unknown> {
  return [
    await here.rows(
      'identity',
      'select sealed from second_factor union all select sealed from api_key union all select sealed from recovery_code_key',
    ),
    await here.rows('revenue', 'select sealed_key from payment_connection'),
  ];
}
