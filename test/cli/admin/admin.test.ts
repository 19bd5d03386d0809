/** The operator's commands as typed by an operator, against a whole service. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { runAdmin } from '../../../cli/admin/run-admin.ts';
import { get, graphql, post } from '../../support/api-client.ts';
import { type RunningService, runningService } from '../../support/running-service.ts';
import { askAs, signedIn, visitor } from '../../support/visitor.ts';
import { addCustomer } from '../../../packages/stripe-stand-in/account.ts';
import { start } from '../../../packages/stripe-stand-in/server.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { MINUTES } from '../../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const PASSWORD = 'correct horse battery staple';

let service: RunningService;
let organization: string;

beforeAll(async () => {
  service = await runningService();
  organization = (
    await admin(
      'organization',
      'create',
      '--name',
      'Acme',
      '--owner-email',
      'owner@acme.test',
      '--owner-password',
      PASSWORD,
    )
  ).json.organization_id;
});
afterAll(() => service.stop());

describe('each command prints one JSON object with the fields that scripts rely on', () => {
  test('organization create, organization list', async () => {
    const created = await admin(
      'organization',
      'create',
      '--name',
      'Beta',
      '--owner-email',
      'owner@beta.test',
      '--owner-password',
      PASSWORD,
    );
    expect(created).toMatchObject({ code: 0, stderr: '', json: { organization_id: UUID, owner_user_id: UUID } });
    const { json } = await admin('organization', 'list');
    expect(json.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['Default', 'Acme', 'Beta']));
  });

  test('user create', async () => {
    expect(
      (await admin('user', 'create', ...own(), '--email', 'member@acme.test', '--password', PASSWORD)).json,
    ).toEqual({ user_id: UUID });
  });

  test('user list, set-role, disable, enable, end-sessions, reset-second-factor, remove', async () => {
    const email = 'managed@delta.test';
    const of = [
      '--organization',
      (
        await admin(
          'organization',
          'create',
          '--name',
          'Delta',
          '--owner-email',
          'owner@delta.test',
          '--owner-password',
          PASSWORD,
        )
      ).json.organization_id,
    ];
    const { user_id: id } = (await admin('user', 'create', ...of, '--email', email, '--password', PASSWORD)).json;
    const listed = async () => (await admin('user', 'list', ...of)).json.find((user: { id: string }) => user.id === id);
    expect(await listed()).toEqual({
      id,
      email,
      role: 'member',
      created_at: INSTANT,
      disabled_at: null,
      second_factor: false,
      passkeys: 0,
      last_signed_in_at: null,
    });
    expect((await admin('user', 'set-role', '--id', id, '--role', 'admin')).json).toEqual({
      id,
      role: 'admin',
      changed: true,
      ...NOTHING_REVOKED,
    });
    const { api_key: key } = (
      await admin('key', 'create', ...of, '--name', 'theirs', '--environment', 'live', '--preset', 'read', '--user', id)
    ).json;
    expect((await get(service.url, '/ping', key)).status).toBe(200);
    expect((await admin('user', 'disable', '--email', email.toUpperCase())).json).toEqual({
      id,
      sessions_ended: 0,
      keys_revoked: 1,
      ...NOTHING_REVOKED,
    });
    expect((await get(service.url, '/ping', key)).status).toBe(401);
    expect(await listed()).toMatchObject({ role: 'admin', disabled_at: INSTANT });
    expect(await admin('user', 'reset-password', '--id', id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('disabled'),
    });
    expect((await admin('user', 'enable', '--id', id)).json).toEqual({ id, changed: true });
    expect((await admin('user', 'end-sessions', '--id', id)).json).toEqual({ id, sessions_ended: 0 });
    expect((await admin('user', 'reset-second-factor', '--id', id)).json).toEqual({ id, changed: false });
    expect((await admin('user', 'remove', '--id', id)).json).toEqual({
      id,
      sessions_ended: 0,
      keys_revoked: 0,
      ...NOTHING_REVOKED,
    });
    expect(await listed()).toBeUndefined();
    expect(await admin('user', 'remove', '--email', email)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No account user has the e-mail address'),
    });
  });

  test.each([
    ['remove', [], { issued_keys_revoked: 1, invitations_revoked: 1, reset_links_revoked: 1 }, 401],
    [
      'disable',
      ['--keep-issued-keys'],
      { issued_keys_revoked: 0, invitations_revoked: 1, reset_links_revoked: 1 },
      200,
    ],
    ['set-role', ['--role', 'member'], { issued_keys_revoked: 1, invitations_revoked: 1, reset_links_revoked: 1 }, 401],
    [
      'set-role',
      ['--role', 'member', '--keep-issued-keys'],
      { issued_keys_revoked: 0, invitations_revoked: 1, reset_links_revoked: 1 },
      200,
    ],
  ])('user %s %j reports what the user had issued and what was revoked', async (command, flags, revoked, status) => {
    const name = `${command}-${flags.length}`;
    const { json: founded } = await admin(
      'organization',
      'create',
      ...['--name', name, '--owner-email', `owner-${name}@acme.test`, '--owner-password', PASSWORD],
    );
    const of = ['--organization', founded.organization_id as string];
    const leaver = { owner_email: `leaver-${name}@acme.test`, owner_password: PASSWORD };
    const holder = `holder-${name}@acme.test`;
    for (const [email, role] of [
      [leaver.owner_email, 'owner'],
      [holder, 'member'],
    ] as const)
      await admin('user', 'create', ...of, '--email', email, '--password', PASSWORD, '--role', role);
    const { json: users } = await admin('user', 'list', ...of);
    const id = users.find((user: { email: string }) => user.email === holder).id as string;
    const session = await signedIn(service.url, leaver);
    const made = await askAs(session, ISSUE, { id, invited: `friend-${name}@acme.test` });
    const key = made.data.apiKeyCreate.createdApiKey.secret as string;
    expect(made.data.accountUserStartPasswordReset.link.url).toMatch(/#/);
    const { json } = await admin('user', command, '--email', leaver.owner_email, ...flags);
    expect(json).toMatchObject(revoked);
    expect((await get(service.url, '/ping', key)).status).toBe(status);
  });

  test('user sessions, user end-sessions of one and of all', async () => {
    const { owner_email: email } = service.firstRun;
    const [one, other] = [await signedIn(service.url, service.firstRun), await signedIn(service.url, service.firstRun)];
    const of = ['--organization', service.firstRun.organization_id, '--email', email];
    const { json: sessions } = await admin('user', 'sessions', ...of);
    expect(sessions[0]).toEqual({
      session_id: UUID,
      address: expect.any(String),
      user_agent: expect.any(String),
      signed_in_at: INSTANT,
      last_seen_at: INSTANT,
      expires_at: INSTANT,
    });
    const last = sessions[0].session_id as string;
    expect((await admin('user', 'end-sessions', '--email', email, '--session', last)).json).toEqual({
      id: UUID,
      sessions_ended: 1,
    });
    expect([(await one.get('/sessions')).status, (await other.get('/sessions')).status]).toEqual([200, 303]);
    expect((await admin('user', 'end-sessions', '--email', email)).json.sessions_ended).toBe(sessions.length - 1);
  });

  test('invitation list, invitation revoke', async () => {
    const { json: invited } = await admin('user', 'invite', ...own(), '--email', 'late@acme.test');
    const listed = async () =>
      (await admin('invitation', 'list', ...own())).json.filter(
        (one: { invitation_id: string }) => one.invitation_id === invited.invitation_id,
      );
    expect(await listed()).toEqual([
      {
        invitation_id: invited.invitation_id,
        email: 'late@acme.test',
        role: 'member',
        invited_by: null,
        created_at: INSTANT,
        expires_at: INSTANT,
      },
    ]);
    const revoke = async () => (await admin('invitation', 'revoke', ...own(), '--id', invited.invitation_id)).json;
    expect([await revoke(), await revoke()]).toEqual([
      { invitation_id: invited.invitation_id, changed: true },
      { invitation_id: invited.invitation_id, changed: false },
    ]);
    expect(await listed()).toEqual([]);
  });

  test('organization second-factor', async () => {
    const say = async (required: string) =>
      (await admin('organization', 'second-factor', ...own(), '--required', required)).json;
    expect(await say('yes')).toEqual({ organization_id: UUID, name: 'Acme', requires_second_factor: true });
    const { json } = await admin('organization', 'list');
    expect(json.find(({ name }: { name: string }) => name === 'Acme')).toMatchObject({ requires_second_factor: true });
    expect(await say('no')).toMatchObject({ requires_second_factor: false });
  });

  test('organization rename, by everyone who is allowed to: an invalid name is refused', async () => {
    const rename = (name: string) => admin('organization', 'rename', ...own(), '--name', name);
    expect((await rename('Acme and sons')).json).toEqual({ organization_id: organization, name: 'Acme and sons' });
    const { json } = await admin('organization', 'list');
    expect(json.map(({ name }: { name: string }) => name)).toContain('Acme and sons');
    expect((await rename('Acme')).json).toMatchObject({ name: 'Acme' });
    expect(await rename('x'.repeat(1_000))).toMatchObject({ code: 1, stderr: expect.stringContaining('name') });
    expect(await admin('organization', 'rename', '--organization', UNKNOWN_ID, '--name', 'N')).toMatchObject({
      code: 1,
    });
    expect(await admin('organization', 'rename', ...own())).toMatchObject({ code: 2 });
  });

  test('user reset-password and user invite print a link that opens the page', async () => {
    const reset = await admin('user', 'reset-password', '--email', 'owner@acme.test');
    expect(reset.json).toEqual({
      id: UUID,
      url: expect.stringContaining('/sign-in/new-password#'),
      expires_at: INSTANT,
    });
    const invited = await admin('user', 'invite', ...own(), '--email', 'invited@acme.test', '--role', 'owner');
    expect(invited.json).toEqual({
      invitation_id: UUID,
      email: 'invited@acme.test',
      role: 'owner',
      expires_at: INSTANT,
      url: expect.stringContaining('/sign-in/invitation#'),
    });
    for (const [{ json }, words] of [
      [reset, 'owner@acme.test'],
      [invited, 'Acme'],
    ] as const) {
      const { pathname } = new URL(json.url);
      const page = await visitor(service.url).submit(pathname, `${pathname}/open`, { token: json.url });
      expect(page.html).toContain(words);
    }
  });

  test('user create and organization create read a password from standard input, where other accounts cannot see it', async () => {
    const create = ['user', 'create', ...own(), '--email', 'quiet@acme.test', '--password-stdin', '--json'];
    expect((await run(create, {}, `${PASSWORD} by pipe\n`)).json).toEqual({ user_id: UUID });
    expect(
      (
        await run(
          [
            'organization',
            'create',
            '--name',
            'Quiet',
            '--owner-email',
            'owner@quiet.test',
            '--owner-password-stdin',
            '--json',
          ],
          {},
          PASSWORD,
        )
      ).code,
    ).toBe(0);
    expect(await run(create, {}, '\n')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--password must be'),
    });
    expect((await run([...create, '--password', PASSWORD], {}, PASSWORD)).code).toBe(2);
    expect((await run(create.filter((word) => word !== '--password-stdin'))).stderr).toContain(
      '--password or --password-stdin',
    );
    expect((await run(['user', 'create', '--help'])).stdout).toContain('(--password P | --password-stdin)');
  });

  test('plan set, credits add-pack, credits show', async () => {
    const beta = (
      await admin(
        'organization',
        'create',
        '--name',
        'Gamma',
        '--owner-email',
        'owner@gamma.test',
        '--owner-password',
        PASSWORD,
      )
    ).json.organization_id;
    const of = ['--organization', beta];
    expect((await admin('credits', 'show', ...of)).json).toMatchObject({
      allotment: null,
      allotment_left: null,
      packs_left: null,
      credits_left: null,
    });
    expect((await admin('plan', 'set', ...of, '--allotment', '1000', '--soft-limit', '900')).json).toMatchObject({
      organization_id: beta,
      allotment: 1000,
      soft_limit: 900,
      credits_left: 1000,
    });
    expect((await admin('credits', 'add-pack', ...of, '--events', '50')).json).toMatchObject({
      pack_id: UUID,
      credits_left: 1050,
    });
    expect((await admin('credits', 'show', ...of)).json).toMatchObject({
      allotment: 1000,
      allotment_left: 1000,
      packs_left: 50,
      credits_left: 1050,
    });
  });

  test('key create, key list, key revoke: a revoked key does not work', async () => {
    const preset = await admin(
      'key',
      'create',
      ...own(),
      '--name',
      'reader',
      '--environment',
      'live',
      '--preset',
      'read',
    );
    expect(preset.json).toMatchObject({
      id: UUID,
      api_key: expect.stringMatching(/^sk_live_.{40}$/),
      name: 'reader',
      environment: 'live',
      expires_at: null,
    });
    const scoped = await admin(
      'key',
      'create',
      ...own(),
      '--name',
      'writer',
      '--environment',
      'test',
      '--scopes',
      'usage:write,costs:read',
      '--expires-at',
      '2999-01-01',
    );
    expect(scoped.json).toMatchObject({
      scopes: ['costs:read', 'usage:write'],
      environment: 'test',
      expires_at: '2999-01-01T00:00:00.000Z',
    });
    expect((await get(service.url, '/ping', preset.json.api_key)).status).toBe(200);
    expect((await admin('key', 'revoke', '--id', preset.json.id)).json).toMatchObject({
      id: preset.json.id,
      revoked_at: INSTANT,
    });
    expect((await get(service.url, '/ping', preset.json.api_key)).status).toBe(401);
    const listed = await admin('key', 'list', ...own());
    expect(
      listed.json.map(({ name, revoked_at: at }: { name: string; revoked_at: string | null }) => [name, at !== null]),
    ).toEqual([
      ['writer', false],
      ['reader', true],
    ]);
    expect(listed.stdout).not.toContain('sk_');
  });

  test('key unsigned and key list report whether a key may send unsigned bodies', async () => {
    const made = await admin(
      ...['key', 'create', ...own(), '--name', 'exporter', '--environment', 'live', '--preset', 'ingest'],
    );
    const { id } = made.json;
    const listed = async () =>
      (await admin('key', 'list', ...own())).json.find((one: { id: string }) => one.id === id).may_write_unsigned;
    expect(await listed()).toBe(false);
    const { json } = await admin('key', 'unsigned', ...own(), '--id', id, '--allow', 'yes');
    expect(json).toEqual({
      id,
      name: 'exporter',
      scopes: expect.arrayContaining(['usage:write']),
      may_write_unsigned: true,
    });
    expect(await listed()).toBe(true);
    await admin('key', 'unsigned', ...own(), '--id', id, '--allow', 'no');
    expect(await listed()).toBe(false);
  });

  test('operator token create, list, rotate, revoke: each token works until it is revoked', async () => {
    const created = await admin('operator', 'token', 'create', '--name', 'Ada');
    expect(created).toMatchObject({
      code: 0,
      stderr: '',
      json: { operator_token: expect.stringMatching(/^op_[\w-]{43}$/), id: UUID, name: 'Ada', created_at: INSTANT },
    });
    const opens = async (token: string) => (await run(['organization', 'list'], { ADMIN_TOKEN: token })).code === 0;
    const rotated = await admin('operator', 'token', 'rotate', '--name', 'Ada');
    expect(rotated.json).toMatchObject({ operator_token: expect.stringMatching(/^op_/), name: 'Ada' });
    expect([await opens(created.json.operator_token), await opens(rotated.json.operator_token)]).toEqual([false, true]);
    expect((await admin('operator', 'token', 'revoke', '--name', 'Ada')).json).toMatchObject({
      name: 'Ada',
      revoked_at: INSTANT,
    });
    expect(await opens(rotated.json.operator_token)).toBe(false);
    const listed = await admin('operator', 'token', 'list');
    expect(
      listed.json.map(({ name, revoked_at: at }: { name: string; revoked_at: string | null }) => [name, at !== null]),
    ).toEqual([
      ['first-run', false],
      ['Ada', true],
      ['Ada', true],
    ]);
    expect(listed.stdout).not.toContain('op_');
    expect(await admin('operator', 'token', 'revoke', '--name', 'first-run')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('last operator token'),
    });
  });

  test('secrets status, secrets reseal', async () => {
    const { json: status } = await admin('secrets', 'status');
    expect(status).toContainEqual({
      subgraph: 'identity',
      kind: 'test keys',
      key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      count: expect.any(Number),
      is_current: true,
      is_readable: true,
    });
    expect(await admin('secrets', 'reseal')).toMatchObject({
      code: 0,
      json: { key_id: status[0].key_id, resealed: 0, left: 0, kinds: expect.any(Array) },
    });
  });

  test('dimension register is safe to repeat', async () => {
    for (const label of ['Team', 'Squad'])
      expect((await admin('dimension', 'register', ...own(), '--key', 'team', '--label', label)).json).toMatchObject({
        key: 'team',
      });
  });

  test('rate alias: an alias is set, listed and removed', async () => {
    const alias = (...words: string[]) => admin('rate', 'alias', ...own(), ...words);
    expect((await alias('--name', 'Chat-Prod', '--provider', 'azure', '--model', 'gpt-4o')).json).toEqual({
      requeued_events: 0,
    });
    expect((await alias()).json).toEqual([
      { name: 'chat-prod', provider: 'azure', model: 'gpt-4o', is_standard: false, changed_at: expect.any(String) },
    ]);
    const match = await admin('rate', 'match', '--model', 'chat-prod', '--provider', 'azure', ...own());
    expect(match.json).toMatchObject({ model_slug: 'gpt-4o', unit: 'per million tokens' });
    expect(match.json.rule).toContain('"chat-prod" is an alias of gpt-4o; ');
    expect(await alias('--name', 'chat-prod')).toMatchObject({ code: 2, stderr: expect.stringContaining('--remove') });
    expect((await alias('--name', 'chat-prod', '--provider', 'azure', '--remove')).code).toBe(0);
    expect((await alias()).json).toEqual([]);
    expect((await admin('rate', 'match', '--model', 'whisper-1')).json).toMatchObject({
      unit: 'per audio hour',
      unit_name: 'audio_hours',
      unit_prices: [{ name: 'unit', price: '0.36' }],
    });
  });

  test('rate list, rate remove, pending list: negotiated rates, and events that wait for a price', async () => {
    const set = await admin('rate', 'set', '--model', 'agreed', '--input', '2', '--output', '4', ...own());
    const [rate] = (await admin('rate', 'list', ...own())).json;
    expect(rate).toMatchObject({
      rate_card_id: set.json.rate_card_id,
      model_slug: 'agreed',
      in_force: true,
      versions: [{ effective_from: null, effective_to: null, unit: 'per million tokens' }],
    });
    const removed = await admin('rate', 'remove', '--id', rate.rate_card_id, ...own());
    expect(removed.json).toMatchObject({ rate_card_id: rate.rate_card_id, requeued_events: 0 });
    expect((await admin('rate', 'list', ...own())).json[0].in_force).toBe(false);
    const unknown = await admin('rate', 'remove', '--id', randomUUID(), ...own());
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('Rate card not found') });
    expect((await admin('pending', 'list', ...own())).json).toEqual(expect.any(Array));
  });

  test('rate policy: how to treat contexts without a price', async () => {
    const policy = (...words: string[]) => admin('rate', 'policy', ...own(), ...words);
    expect((await policy()).json).toEqual({ unknown_context: 'wait', changed_at: null });
    expect((await policy('--unknown-context', 'base')).json).toEqual({
      unknown_context: 'base',
      changed_at: expect.any(String),
      requeued_events: 0,
    });
    expect((await policy('--unknown-context', 'wait')).json).toMatchObject({ unknown_context: 'wait' });
    expect(await policy('--unknown-context', 'guess')).toMatchObject({ code: 2 });
    expect(await admin('rate', 'policy')).toMatchObject({ code: 2, stderr: expect.stringContaining('--organization') });
  });

  test('rate set, rate match: every rate, exactly as typed', async () => {
    const set = await admin(
      'rate',
      'set',
      '--model',
      'house-',
      ...own(),
      '--input',
      '1.250000001',
      '--output',
      '10',
      '--cache-creation',
      '1.5',
      '--cache-creation-1h',
      '2.5',
      '--cache-read',
      '0.125',
      '--reasoning',
      '11',
      '--unit',
      'web_searches=0.01',
      '--unit',
      'requests=0.002',
      '--tier',
      '200000:input=2.5,output=15,cache-read=0.25',
    );
    expect(set.json).toMatchObject({
      rate_card_id: UUID,
      model_slug: 'house-',
      effective_from: null,
      requeued_events: 0,
    });
    expect((await admin('rate', 'match', '--model', 'house-7b', ...own())).json).toMatchObject({
      model_slug: 'house-',
      rule: expect.stringContaining('longest prefix'),
      input_cost_per_million: '1.250000001',
      output_cost_per_million: '10',
      cache_creation_cost_per_million: '1.5',
      cache_creation_1h_cost_per_million: '2.5',
      cache_read_cost_per_million: '0.125',
      reasoning_cost_per_million: '11',
      unit_prices: [
        { name: 'requests', price: '0.002' },
        { name: 'web_searches', price: '0.01' },
      ],
      tiers: [
        {
          above_input_tokens: 200_000,
          prices: [
            { name: 'input', price: '2.5' },
            { name: 'output', price: '15' },
            { name: 'cache_read', price: '0.25' },
          ],
        },
      ],
    });
    expect((await admin('rate', 'match', '--model', 'house-7b')).stdout).toBe('null\n');
    expect((await admin('rate', 'set', '--model', 'picture-', '--unit-price', '0.04')).json).toMatchObject({
      model_slug: 'picture-',
    });
    expect((await admin('rate', 'match', '--model', 'picture-xl', ...own())).json).toMatchObject({
      unit_prices: [{ name: 'unit', price: '0.04' }],
      input_cost_per_million: null,
    });
  });

  test('catalog import: importing the built-in catalogue again changes nothing', async () => {
    expect((await admin('catalog', 'import')).json).toMatchObject({ added: [], changed: [], held: [], dropped: [] });
  });

  test('settle and verify, after a waiting event got its rate', async () => {
    const { api_key: key } = (
      await admin('key', 'create', ...own(), '--name', 'settling', '--environment', 'live', '--preset', 'ingest')
    ).json;
    await post(service.url, '/usage-events/batch', key, [usageEvent({ model: 'unheard-of-1' }), usageEvent()]);
    expect(await admin('settle', '--timeout', '20')).toMatchObject({ code: 0, json: { pending: 0, lag: 0 } });
    expect(await admin('settle', ...own())).toMatchObject({ code: 0, json: { pending: 0, lag: 0, comparing: 0 } });
    expect(
      (await admin('rate', 'set', '--model', 'unheard-of', ...own(), '--input', '1', '--output', '1')).json
        .requeued_events,
    ).toBe(1);
    await admin('settle');
    const all = await admin('verify');
    expect(all).toMatchObject({ code: 0, stderr: '', json: { differences: [] } });
    expect(new Set(all.json.checks.map(({ subgraph }: { subgraph: string }) => subgraph))).toEqual(
      new Set(['costing', 'attribution', 'revenue']),
    );
    expect((await admin('verify', ...own())).code).toBe(0);
  });

  test('reprice: a dry run shows the difference, and a run books it', async () => {
    await admin(
      'rate',
      'set',
      '--model',
      'unheard-of',
      ...own(),
      '--input',
      '2',
      '--output',
      '2',
      '--effective-from',
      '2020-01-01',
    );
    const day = [...own(), '--start', '2020-01-01', '--end', '2060-01-01', '--model', 'unheard-of-1'];
    const dry = await admin('reprice', ...day, '--dry-run');
    expect(dry).toMatchObject({
      code: 0,
      json: { repricing_id: null, events: 1, difference: '0.0011', by_model: [{ events: 1, difference: '0.0011' }] },
    });
    expect((await admin('reprice', ...day)).json).toMatchObject({
      repricing_id: UUID,
      events: 1,
      difference: '0.0011',
    });
    await admin('settle');
    expect((await admin('verify', ...own())).json.differences).toEqual([]);
  });

  test('operation list, show, cancel, resume; revert; retry-failed', async () => {
    const listed = (await admin('operation', 'list', ...own(), '--state', 'finished')).json;
    const kinds = listed.map(({ kind }: { kind: string }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['backfill', 'verify', 'reprice', 'requeue-waiting']));
    const latest = listed[kinds.indexOf('reprice')];
    expect(latest).toEqual({
      id: UUID,
      kind: 'reprice',
      organization_id: organization,
      state: 'finished',
      done: 1,
      total: null,
      last_error: null,
      started_at: INSTANT,
      updated_at: INSTANT,
    });
    expect((await admin('operation', 'show', '--id', latest.id)).json).toMatchObject({
      parameters: expect.arrayContaining([
        { name: 'start', value: '2020-01-01T00:00:00.000Z' },
        { name: 'model', value: 'unheard-of-1' },
      ]),
      finished_at: INSTANT,
    });
    for (const verb of ['cancel', 'resume'])
      expect(await admin('operation', verb, '--id', latest.id)).toMatchObject({
        code: 1,
        stderr: `This operation is finished and cannot be ${verb === 'cancel' ? 'cancelled' : 'resumed'}\n`,
      });
    expect((await admin('revert', ...own(), '--repricing', latest.id)).json).toMatchObject({
      repricing_id: UUID,
      events: 1,
      difference: '-0.0011',
    });
    expect((await admin('retry-failed', ...own())).json).toEqual({ retried: 0 });
    await admin('settle');
    expect((await admin('verify', ...own())).json.differences).toEqual([]);
  });

  test('fx import and fx list', async () => {
    const file = join(service.dataDirectory, 'eurofxref-hist.csv');
    await writeFile(file, 'Date,USD,CYP,\n2025-04-25,1.1357,N/A,\n2025-04-24,1.1376,N/A,\n');
    expect((await admin('fx', 'import', file)).json).toEqual({
      first_day: '2025-04-24',
      last_day: '2025-04-25',
      added: 2,
      corrected: 0,
      unchanged: 0,
    });
    await writeFile(file, 'Date,AED,\n2025-04-25,4.17,\n');
    expect((await admin('fx', 'import', file, '--own')).json).toMatchObject({ added: 1 });
    expect((await admin('fx', 'list', '--currency', 'AED')).json).toMatchObject({ items: [{ source: 'own' }] });
    expect((await admin('fx', 'list', '--currency', 'USD', '--until', '2025-04-25')).json).toEqual({
      items: [
        {
          day: '2025-04-24',
          base: 'EUR',
          quote: 'USD',
          rate: '1.1376',
          source: 'ecb',
          imported_at: expect.any(String),
        },
      ],
    });
  });

  test('bill source', async () => {
    const text =
      'start_time,end_time,amount_value,amount_currency,line_item\n1791331200,1791417600,0.5,usd,"gpt-4o-mini, input"\n';
    const { body } = await graphql(
      service.url,
      service.firstRun.operator_token,
      'mutation ($text: String!) { billImport(input: { text: $text }) { userErrors { message } } }',
      { text },
      organization,
    );
    expect(body).toEqual({ data: { billImport: { userErrors: [] } } });
    const { json: sources } = await admin('bill', 'source', ...own());
    expect(sources).toEqual([
      {
        id: expect.any(String),
        source: 'openai.costs',
        name: 'OpenAI',
        state: 'ok',
        last_day: '2026-10-07',
        settle_hours: 12,
        last_error: null,
      },
    ]);
    const [{ id }] = sources;
    const set = (hours: string) => admin('bill', 'source', ...own(), '--connection', id, '--settle-hours', hours);
    expect((await set('2160')).json).toEqual({ id, source: 'openai.costs', name: 'OpenAI', settle_hours: 2160 });
    expect(await set('2161')).toMatchObject({ code: 1, stderr: 'settleHours must be from 0 to 2160\n' });
    expect((await admin('bill', 'source', ...own())).json).toMatchObject([{ settle_hours: 2160 }]);
    expect(await admin('bill', 'source', ...own(), '--connection', id)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--connection and --settle-hours must be given together'),
    });
  });
});

describe('a failure prints one line on standard error, and exits with code 1', () => {
  it.each([
    [
      'an organization that does not exist',
      ['credits', 'show', '--organization', UNKNOWN_ID],
      `Organization ${UNKNOWN_ID} not found`,
    ],
    ['a key that does not exist', ['key', 'revoke', '--id', UNKNOWN_ID], 'There is no such API key'],
    ['an account user who does not exist', ['user', 'disable', '--id', UNKNOWN_ID], 'There is no such account user'],
    [
      'a password that everybody tries',
      ['user', 'create', '--organization', '@', '--email', 'x@y.test', '--password', '12345678'],
      'too common',
    ],
    [
      'a scope that does not exist',
      ['key', 'create', '--organization', '@', '--name', 'n', '--environment', 'live', '--scopes', 'costs:write'],
      'costs:write',
    ],
    [
      'a password that is too short',
      ['user', 'create', '--organization', '@', '--email', 'x@y.test', '--password', 'x'],
      'password',
    ],
    [
      'no account at a payment processor',
      ['revenue', 'sync', '--organization', '@'],
      'No payment-processor account is connected',
    ],
    [
      'a customer that no sync has seen',
      ['revenue', 'link', '--organization', '@', '--customer', 'cus_1', '--end-user', 'u'],
      'customer',
    ],
    ['a file that is not there', ['catalog', 'import', '--file', 'nowhere.json'], 'nowhere.json'],
  ])('%s', async (_name, words, message) => {
    const { code, stdout, stderr } = await admin(...words.map((word) => (word === '@' ? organization : word)));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('a rate for an organization that does not exist is not stored for everybody', async () => {
    expect(
      (await admin('rate', 'set', '--model', 'stray-', '--organization', UNKNOWN_ID, '--input', '1', '--output', '1'))
        .code,
    ).toBe(1);
    expect((await admin('rate', 'match', '--model', 'stray-1')).json).toBeNull();
  });

  it('a wrong token, and a service that is not running', async () => {
    expect(await run(['organization', 'list'], { ADMIN_TOKEN: 'nonsense' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('credential'),
    });
    expect(await run(['organization', 'list'], { ADMIN_URL: 'http://127.0.0.1:1' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not respond'),
    });
  });
});

test('the exit code distinguishes success, failure and wrong usage', async () => {
  const list = ['organization', 'list', '--json'];
  expect(await run(list, {}, '')).toMatchObject({ code: 0, stderr: '', json: expect.any(Array) });
  expect(await run(list, { ADMIN_TOKEN: 'nonsense' }, '')).toMatchObject({ code: 1, stdout: '' });
  expect(await run(['nonsense'], {}, '')).toMatchObject({ code: 2, stdout: '' });
});

describe('wrong usage exits with code 2', () => {
  it.each([
    [[]],
    [['nonsense']],
    [['plan']],
    [['plan', 'nonsense']],
    [['plan', 'set', '--organization', UNKNOWN_ID]],
    [['plan', 'set', '--organization', UNKNOWN_ID, '--allotment', 'many']],
    [['plan', 'set', '--organization', UNKNOWN_ID, '--allotment', '-1']],
    [['plan', 'set', '--organization', 'Acme', '--allotment', '1']],
    [['plan', 'set', '--organization', UNKNOWN_ID, '--allotment', '1', '--renews-at', 'tomorrow']],
    [['organization', 'list', '--colour', 'red']],
    [['organization', 'list', 'extra']],
    [['key', 'create', '--organization', UNKNOWN_ID, '--name', 'n', '--environment', 'live']],
    [
      [
        'key',
        'create',
        '--organization',
        UNKNOWN_ID,
        '--name',
        'n',
        '--environment',
        'live',
        '--preset',
        'read',
        '--scopes',
        'costs:read',
      ],
    ],
    [['key', 'create', '--organization', UNKNOWN_ID, '--name', 'n', '--environment', 'production', '--preset', 'read']],
    [['rate', 'set', '--model', 'm']],
    [['rate', 'set', '--model', 'm', '--input', '1']],
    [['rate', 'set', '--model', 'm', '--input', '1e3', '--output', '1']],
    [['rate', 'set', '--model', 'm', '--unit-price', '1', '--input', '1', '--output', '1']],
    [['rate', 'set', '--model', 'm', '--input', '1', '--output', '1', '--tier', '200000']],
    [['rate', 'set', '--model', 'm', '--input', '1', '--output', '1', '--tier', '200000:colour=1']],
    [['rate', 'set', '--model', 'm', '--input', '1', '--output', '1', '--unit', 'searches']],
    [['user', 'disable']],
    [['user', 'disable', '--id', UNKNOWN_ID, '--email', 'a@b.test']],
    [['user', 'set-role', '--id', UNKNOWN_ID, '--role', 'king']],
    [['settle', '--timeout', 'soon']],
  ])('%j', async (words) => {
    const { code, stdout, stderr } = await admin(...words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toBe('');
  });
});

test('revenue connect, revenue sync, revenue link', async () => {
  const standIn = await start();
  try {
    addCustomer(standIn.account, { id: 'cus_1', name: 'One' });
    const connected = await admin(
      'revenue',
      'connect',
      ...own(),
      '--processor',
      'stripe',
      '--api-key',
      'rk_live_stand_in',
      '--api-base',
      standIn.url,
    );
    expect(connected).toMatchObject({ code: 0, json: { connection_id: UUID, status: 'connected' } });
    expect(await admin('revenue', 'sync', ...own())).toMatchObject({
      code: 0,
      stderr: '',
      json: {
        records_created: 0,
        records_updated: 0,
        records_skipped: 0,
        subscriptions: 0,
        customers: 1,
        state: 'finished',
      },
    });
    expect((await admin('revenue', 'link', ...own(), '--customer', 'cus_1', '--end-user', 'u1')).json).toMatchObject({
      customer: 'cus_1',
      end_user_id: UUID,
    });
  } finally {
    await standIn.stop();
  }
});

it('a command lists its flags, and people get a table without --json', async () => {
  const help = await run(['rate', 'set', '--help']);
  expect(help.code).toBe(0);
  expect(help.stdout).toContain('[--tier ABOVE:input=X,output=X,… …]');
  expect((await run(['organization', 'list'])).stdout).toMatch(
    /^organization_id +name +created_at +deleted_at +requires_second_factor +sample_of\n/,
  );
});

it('settle reports what is left when its time limit is reached', async () => {
  const { live_ingest_key: key } = service.firstRun;
  const batch = () => Array.from({ length: 100 }, () => usageEvent());
  await Promise.all(Array.from({ length: 30 }, () => post(service.url, '/usage-events/batch', key, batch())));
  const impatient = await admin('settle', '--timeout', '0');
  expect(Object.keys(impatient.json)).toEqual(['pending', 'lag', 'comparing', 'set_aside']);
  expect(impatient).toMatchObject({ code: 1, stderr: expect.stringContaining('Not settled after 0 s') });
  expect(await admin('settle')).toMatchObject({ code: 0, json: { pending: 0, lag: 0 } });
});

test('organization delete does not wait for an organization without any activity', async () => {
  const flags = ['--name', 'Unused', '--owner-email', 'owner@unused.test', '--owner-password', PASSWORD];
  const { organization_id: id } = (await admin('organization', 'create', ...flags)).json;
  const { json } = await admin('organization', 'delete', '--organization', id, '--name', 'Unused');
  expect(json).toMatchObject({ organization_id: id, passes: 1, deleted_rows: { costing: 0 } });
  const { json: listed } = await admin('organization', 'list');
  expect(listed.find((one: { organization_id: string }) => one.organization_id === id)).toMatchObject({
    name: 'deleted',
    deleted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  expect(listed.map((one: { name: string }) => one.name)).not.toContain('Unused');
});

test('end-user erase and retention set keep figures; organization delete removes them', async () => {
  const gone = (
    await admin(
      'organization',
      'create',
      '--name',
      'Gone',
      '--owner-email',
      'owner@gone.test',
      '--owner-password',
      PASSWORD,
    )
  ).json.organization_id;
  const of = ['--organization', gone];
  const keyOf = async (preset: string) =>
    (await admin('key', 'create', ...of, '--name', preset, '--environment', 'live', '--preset', preset)).json.api_key;
  const [ingest, read] = [await keyOf('ingest'), await keyOf('read')];
  await admin('dimension', 'register', ...of, '--key', 'team');
  const metadata = { team: 'blue', note: 'of Ada' };
  await post(service.url, '/usage-events/batch', ingest, [
    usageEvent({ user_id: 'ada', metadata }),
    usageEvent({ user_id: 'bob', metadata }),
  ]);
  await admin('settle');
  const byModel = () => get(service.url, '/cost-data/by-model', read);
  const before = (await byModel()).body;
  expect(before.total_cost).not.toBe('0');
  expect(await admin('end-user', 'erase', ...of, '--end-user', 'ada')).toMatchObject({
    code: 0,
    json: {
      erasure_id: UUID,
      subject_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      events: 1,
      customers: 0,
      episodes: 0,
      finished_at: INSTANT,
      kept_dimensions: ['team'],
    },
  });
  expect((await byModel()).body).toEqual(before);
  expect(
    (await get(service.url, '/end-user-costs/ada/by-model?start_date=2020-01-01&end_date=2100-01-01', read)).status,
  ).toBe(404);
  expect((await admin('retention', 'set', ...of, '--months', '6')).json).toEqual({
    months: 6,
    keep_dimensions: ['team'],
  });
  const closed = { closed_until: expect.stringMatching(/^2020-02-01T00:00:00/) };
  expect((await admin('month', 'close', ...of, '--through', '2020-01')).json).toEqual({
    costs: closed,
    revenue: closed,
  });
  const late = usageEvent({ event_invoked_at: '2020-01-10T00:00:00Z', cost_override: '0.5' });
  await post(service.url, '/usage-events/batch', ingest, [late]);
  await admin('settle');
  const costOf = async (range: string) =>
    (await get(service.url, `/cost-data/by-model?${range}`, read)).body.total_cost;
  expect(await costOf('start_date=2020-01-01&end_date=2020-02-01')).toBe('0');
  expect(await costOf('start_date=2020-02-01&end_date=2020-03-01')).toBe('0.5');
  expect((await admin('month', 'reopen', ...of, '--from', '2020-01')).json.costs.closed_until).toMatch(/^2020-01-01/);
  expect(await admin('verify', ...of)).toMatchObject({ code: 0 });

  expect(await admin('organization', 'delete', ...of, '--name', 'Other')).toMatchObject({ code: 1 });
  expect((await byModel()).status).toBe(200);
  const deleted = await admin('organization', 'delete', ...of, '--name', 'Gone');
  expect(deleted).toMatchObject({ code: 0, json: { organization_id: gone } });
  for (const part of ['identity', 'costing', 'attribution']) expect(deleted.json.deleted_rows[part]).toBeGreaterThan(0);
  expect((await byModel()).status).toBe(401);
  expect(await admin('organization', 'delete', ...of, '--name', 'Gone')).toMatchObject({
    code: 0,
    json: { deleted_rows: { identity: 0, costing: 0, attribution: 0, revenue: 0, alerting: 0, reconciliation: 0 } },
  });
  for (const words of [
    ['user', 'create', ...of, '--email', 'late@gone.test', '--password', PASSWORD],
    ['key', 'create', ...of, '--name', 'late', '--environment', 'live', '--preset', 'read'],
    ['plan', 'set', ...of, '--allotment', '10'],
  ])
    expect(await admin(...words)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The organization is deleted'),
    });
  expect(await admin('verify')).toMatchObject({ code: 0 });
});

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;

  json: any;
}

function own(): string[] {
  return ['--organization', organization];
}

function admin(...words: string[]): Promise<Outcome> {
  return run([...words, ...(words.length === 0 ? [] : ['--json'])]);
}

/** Runs in this process, unless there is standard input. */
async function run(
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  input?: string,
): Promise<Outcome> {
  const env = { ADMIN_URL: service.url, DATA_DIR: service.dataDirectory, ...settings };
  const [code, stdout, stderr] = await (input === undefined ? runHere(words, env) : runAsProcess(words, env, input));
  const isJson = /^[[{n]/.test(stdout) && words.includes('--json');
  return { code, stdout, stderr, json: isJson ? JSON.parse(stdout) : undefined };
}

type Printed = readonly [code: number, stdout: string, stderr: string];

async function runHere(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Printed> {
  const written = { stdout: '', stderr: '' };
  const into = (stream: keyof typeof written) => ({ write: (text: string) => (written[stream] += text) });
  const code = await runAdmin(words, { stdout: into('stdout'), stderr: into('stderr') }, env);
  return [code, written.stdout, written.stderr];
}

function runAsProcess(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  input: string,
): Promise<Printed> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'cli/admin/main.ts', ...words],
      { env: { PATH, NODE_COMPILE_CACHE, ...env } },
      (error, stdout, stderr) => resolve([error ? Number(error.code) : 0, stdout, stderr]),
    );
    child.stdin?.end(input);
  });
}

const NOTHING_REVOKED = { issued_keys_revoked: 0, invitations_revoked: 0, reset_links_revoked: 0 };

const ISSUE = `mutation ($id: ID!, $invited: String!) {
  apiKeyCreate(input: { name: "Pipeline", environment: "live", preset: "read", accountUserId: $id }) { createdApiKey { secret } userErrors { message } }
  accountUserInvite(input: { email: $invited, role: "member" }) { userErrors { message } }
  accountUserStartPasswordReset(input: { id: $id }) { link { url } userErrors { message } }
}`;
