import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClient } from '#platform/database/prepare-database.ts';
import { readAuditLog } from '#platform/subgraph/read-audit-log.ts';
import { createApiKey } from '../../../../subgraphs/identity/keys/create-api-key.operation.ts';
import { identifyCaller } from '../../../../subgraphs/identity/callers/identify-caller.operation.ts';
import { listApiKeys } from '../../../../subgraphs/identity/keys/list-api-keys.operation.ts';
import { createAccountUser } from '../../../../subgraphs/identity/accounts/members/create-account-user.operation.ts';
import { disableAccountUser } from '../../../../subgraphs/identity/accounts/members/disable-account-user.operation.ts';
import { createOrganization } from '../../../../subgraphs/identity/accounts/create-organization.operation.ts';
import { revealApiKey } from '../../../../subgraphs/identity/keys/reveal-api-key.operation.ts';
import { revokeApiKey } from '../../../../subgraphs/identity/keys/revoke-api-key.operation.ts';
import { revokeToken } from '../../../../subgraphs/identity/oauth/revoke-token.operation.ts';
import { rotateApiKey } from '../../../../subgraphs/identity/keys/rotate-api-key.operation.ts';
import { setUnsignedWrites } from '../../../../subgraphs/identity/keys/set-unsigned-writes.operation.ts';
import { loggedLines } from '../../../support/logged-lines.ts';
import { atOnce, type Identity, PASSWORD, SEALING, startIdentity } from '../identity-builder.ts';

let world: Identity;
beforeAll(async () => {
  world = await startIdentity();
});
afterAll(() => world.close());

const LIVE = { name: 'A key', environment: 'live', preset: 'ingest' };
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();
const whose = (token: string) => identifyCaller(world.service, 'bearer', token, null);

describe('a key', () => {
  test('allows what it was created for, and nothing once it is revoked', async () => {
    const { secret, apiKey } = await createApiKey(world.ofOurs, { ...LIVE, expiresAt: inAnHour() }, SEALING);
    expect(await whose(secret)).toEqual({
      kind: 'api-key',
      organizationId: world.organizationId,
      accountUserId: apiKey.accountUserId,
      credentialId: apiKey.id,
      credentialName: 'A key',
      environment: 'live',
      expiresAt: apiKey.expiresAt?.toISOString(),
      grants: ['usage:write'],
    });
    await revokeApiKey(world.ofOurs, apiKey.id);
    expect(await whose(secret)).toBeNull();
  });

  test('is refused when it has expired', async () => {
    const { secret, apiKey } = await createApiKey(world.ofOurs, { ...LIVE, expiresAt: inAnHour() }, SEALING);
    await world.rows("update api_key set expires_at = now() - interval '1 second' where id = $1", [apiKey.id]);
    expect(await whose(secret)).toBeNull();
  });

  test('is stored only as a hash; a test key is also encrypted, and the database refuses an encrypted live key', async () => {
    const { secret, apiKey } = await createApiKey(world.ofOurs, LIVE, SEALING);
    const [row] = await world.rows<{ row: string }>('select to_json(api_key)::text as row from api_key where id = $1', [
      apiKey.id,
    ]);
    expect(row?.row).not.toContain(secret.slice(8));
    await expect(world.rows('update api_key set sealed = hash where id = $1', [apiKey.id])).rejects.toThrow(
      /api_key_live_is_never_sealed/,
    );
  });

  test('is revoked by anyone who holds it; presenting anything else changes nothing', async () => {
    const { secret } = await createApiKey(world.ofOurs, LIVE, SEALING);
    for (const token of ['', 'nonsense', secret, secret]) expect(await revokeToken(world.service, token)).toBe(true);
    expect(await whose(secret)).toBeNull();
  });
});

test.each(['2020-01-01T00:00:00Z', 'tomorrow', ''])('a key does not expire at %j', async (expiresAt) => {
  await expect(createApiKey(world.ofOurs, { ...LIVE, expiresAt }, SEALING)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
});

test('an operator creates a key for the oldest owner who is not disabled', async () => {
  const { organization, ownerUserId } = await createOrganization(world.operator, {
    name: 'Two owners',
    ownerEmail: 'first-owner@example.com',
    ownerPassword: PASSWORD,
  });
  const theirs = world.contextOf({ ...world.operator.principal, organizationId: organization.id });
  const second = { email: 'second-owner@example.com', password: PASSWORD, role: 'owner' };
  const { userId } = await createAccountUser(theirs, second);
  expect((await createApiKey(theirs, LIVE, SEALING)).apiKey.accountUserId).toBe(ownerUserId);
  await disableAccountUser(theirs, ownerUserId);
  expect((await createApiKey(theirs, LIVE, SEALING)).apiKey.accountUserId).toBe(userId);
});

describe('rotation', () => {
  test('creates a key with the same scopes, environment, description and lifetime, and revokes the old one', async () => {
    const owner = await world.session();
    const old = await createApiKey(owner, { ...LIVE, description: 'For the server', expiresAt: inAnHour() }, SEALING);
    const rotated = await rotateApiKey(owner, old.apiKey.id, SEALING);
    expect(rotated.keyInfo).toMatchObject({
      name: 'A key (Rotated)',
      description: 'For the server',
      scopes: ['usage:write'],
      environment: 'LIVE',
      createdBy: owner.principal.accountUserId,
    });
    const life = ({ createdAt, expiresAt }: { createdAt: Date; expiresAt: Date | null }): number =>
      (expiresAt?.getTime() ?? 0) - createdAt.getTime();
    expect(life(rotated.keyInfo)).toBe(life(old.apiKey));
    expect(rotated.keyInfo.expiresAt?.getTime()).toBeGreaterThan(old.apiKey.expiresAt?.getTime() ?? Infinity);
    expect([await whose(old.secret), (await whose(rotated.apiKey))?.credentialId]).toEqual([null, rotated.keyInfo.id]);
  });

  test('succeeds for one of eight concurrent requests', async () => {
    const owner = await world.session();
    const { apiKey } = await createApiKey(owner, { ...LIVE, name: 'Contended' }, SEALING);
    const { values, errors } = await atOnce(8, () => rotateApiKey(owner, apiKey.id, SEALING));
    expect(values).toHaveLength(1);
    expect(errors).toEqual(Array.from({ length: 7 }, () => expect.objectContaining({ code: 'VALIDATION_ERROR' })));
    expect(
      (await listApiKeys(owner)).filter(({ name, revokedAt }) => name.startsWith('Contended') && revokedAt === null),
    ).toHaveLength(1);
  });

  test('is refused for keys that are revoked, expired, unknown or of another organization, and to an API key', async () => {
    const owner = await world.session();
    const revoked = (await createApiKey(owner, LIVE, SEALING)).apiKey.id;
    await revokeApiKey(owner, revoked);
    const expired = (await createApiKey(owner, { ...LIVE, expiresAt: inAnHour() }, SEALING)).apiKey.id;
    await world.rows('update api_key set expires_at = now() - make_interval(secs => 1) where id = $1', [expired]);
    const theirs = await createOrganization(world.operator, {
      name: 'Theirs',
      ownerEmail: 'theirs@example.com',
      ownerPassword: PASSWORD,
    });
    const ofTheirs = world.contextOf({ ...world.operator.principal, organizationId: theirs.organization.id });
    const foreign = (await createApiKey(ofTheirs, LIVE, SEALING)).apiKey.id;
    for (const [id, code] of [
      [revoked, 'VALIDATION_ERROR'],
      [expired, 'VALIDATION_ERROR'],
      [foreign, 'NOT_FOUND'],
      ['nonsense', 'NOT_FOUND'],
    ] as const) {
      await expect(rotateApiKey(owner, id, SEALING)).rejects.toMatchObject({ code });
    }
    await expect(rotateApiKey(ofTheirs, foreign, SEALING)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('a member', () => {
  test('sees, creates, rotates and revokes only its own keys', async () => {
    const member = await world.session('member');
    const owner = await world.session();
    const owners = (await createApiKey(owner, LIVE, SEALING)).apiKey;
    const own = (await createApiKey(member, LIVE, SEALING)).apiKey;
    expect((await listApiKeys(member)).map(({ id }) => id)).toEqual([own.id]);
    await expect(rotateApiKey(member, owners.id, SEALING)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(revokeApiKey(member, owners.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(createApiKey(member, { ...LIVE, accountUserId: owners.accountUserId }, SEALING)).rejects.toMatchObject(
      { code: 'NOT_FOUND' },
    );
    expect((await rotateApiKey(owner, own.id, SEALING)).keyInfo).toMatchObject({
      accountUserId: own.accountUserId,
      createdBy: owner.principal.accountUserId,
    });
  });
});

describe('a test key', () => {
  test('is shown again to a recent session, with an audit record; a live key never', async () => {
    const owner = await world.session();
    const { secret, apiKey } = await createApiKey(owner, { ...LIVE, environment: 'test' }, SEALING);
    expect(await revealApiKey(owner, apiKey.id, SEALING)).toEqual({ apiKey: secret });
    const { accountUserId, credentialId } = owner.principal;
    expect((await readAuditLog(owner, world.organizationId, { first: 1 })).nodes).toMatchObject([
      { action: 'api_key.revealed', actorKind: 'session', accountUserId, credentialId, subjectId: apiKey.id },
    ]);
    const live = (await createApiKey(owner, LIVE, SEALING)).apiKey.id;
    await expect(revealApiKey(owner, live, SEALING)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('is shown to a member only if it is its own', async () => {
    const [owner, member] = [await world.session(), await world.session('member')];
    const [theirs, own] = [
      (await createApiKey(owner, { ...LIVE, environment: 'test' }, SEALING)).apiKey.id,
      await createApiKey(member, { ...LIVE, environment: 'test' }, SEALING),
    ];
    await expect(revealApiKey(member, theirs, SEALING)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await revealApiKey(member, own.apiKey.id, SEALING)).toEqual({ apiKey: own.secret });
  });

  test('is not shown to a session whose sign-in was eleven minutes ago', async () => {
    const owner = await world.session();
    const { apiKey } = await createApiKey(owner, { ...LIVE, environment: 'test' }, SEALING);
    await world.rows("update session set signed_in_at = now() - interval '11 minutes' where id = $1", [
      owner.principal.credentialId,
    ]);
    await expect(revealApiKey(owner, apiKey.id, SEALING)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      details: { actionHint: 'SIGN_IN_AGAIN' },
    });
  });
});

describe('a key that may write unsigned', () => {
  test('is allowed to with an audit record, and so is its successor, until it is forbidden', async () => {
    const owner = await world.session();
    const { secret, apiKey } = await createApiKey(owner, LIVE, SEALING);
    expect(apiKey.mayWriteUnsigned).toBe(false);
    expect(await setUnsignedWrites(owner, apiKey.id, true)).toMatchObject({ mayWriteUnsigned: true });
    expect(await setUnsignedWrites(owner, apiKey.id, true)).toMatchObject({ mayWriteUnsigned: true });
    expect((await whose(secret))?.grants).toEqual(['usage:write', 'usage:write-unsigned']);
    const rotated = await rotateApiKey(owner, apiKey.id, SEALING);
    expect((await whose(rotated.apiKey))?.grants).toContain('usage:write-unsigned');
    await setUnsignedWrites(owner, rotated.keyInfo.id, false);
    expect((await whose(rotated.apiKey))?.grants).toEqual(['usage:write']);
    const actions = (await readAuditLog(owner, world.organizationId, { first: 4 })).nodes.map(({ action }) => action);
    expect(actions).toEqual([
      'api_key.unsigned_forbidden',
      'api_key.rotated',
      'api_key.unsigned_allowed',
      'api_key.created',
    ]);
  });

  test('must be able to write, be active, and be allowed by a recent session of someone who can see the key', async () => {
    const owner = await world.session();
    const reader = await createApiKey(owner, { ...LIVE, preset: 'read' }, SEALING);
    const { apiKey } = await createApiKey(owner, LIVE, SEALING);
    await revokeApiKey(owner, apiKey.id);
    for (const id of [reader.apiKey.id, apiKey.id])
      await expect(setUnsignedWrites(owner, id, true)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const other = await createApiKey(owner, LIVE, SEALING);
    await world.rows("update session set signed_in_at = now() - interval '11 minutes' where id = $1", [
      owner.principal.credentialId,
    ]);
    await expect(setUnsignedWrites(owner, other.apiKey.id, true)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      details: { actionHint: 'SIGN_IN_AGAIN' },
    });
    await expect(setUnsignedWrites(owner, 'no id', true)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await setUnsignedWrites(world.ofOurs, other.apiKey.id, true)).toMatchObject({ mayWriteUnsigned: true });
  });
});

test('the use of a key is recorded once a minute', async () => {
  const { secret, apiKey } = await createApiKey(world.ofOurs, LIVE, SEALING);
  await whose(secret);
  const used = async () =>
    (
      await world.rows<{ used: string | null }>('select last_used_at::text as used from api_key where id = $1', [
        apiKey.id,
      ])
    )[0]?.used;
  await expect.poll(used).not.toBeNull();
  const first = await used();
  await whose(secret);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await used()).toBe(first);
});

test('parallel requests record the use of a key with one write, and log its failures once', async () => {
  const { secret } = await createApiKey(world.ofOurs, LIVE, SEALING);
  const asOwner = (...statements: string[]) =>
    withClient(world.database.target, (client) => client.query(statements.join(';')));
  await asOwner(
    'create sequence attempts',
    'grant all on sequence attempts to public',
    "alter table api_key add constraint no_use check (nextval('attempts') > 0 and last_used_at is null) not valid",
  );
  const { log, lines } = loggedLines();
  const present = () => identifyCaller({ ...world.service, log }, 'bearer', secret, null);
  const attempts = async () =>
    (
      await world.rows<{ n: number }>('select case when is_called then last_value::int else 0 end as n from attempts')
    )[0]?.n;
  try {
    // Number of keys that are looked up with one message.
    expect(await Promise.all(Array.from({ length: 16 }, present))).not.toContain(null);
    await expect.poll(() => lines.length).toBe(1);
    expect(await attempts()).toBe(1);
    // The next request tries again.
    expect(await present()).not.toBeNull();
    await expect.poll(attempts).toBe(2);
  } finally {
    await asOwner('alter table api_key drop constraint no_use', 'drop sequence attempts');
  }
  expect(lines).toMatchObject([
    {
      err: { message: expect.stringContaining('no_use') },
      msg: 'The use of a credential could not be recorded',
    },
  ]);
});

describe('a copied cookie', () => {
  const stale = async (who: 'owner' | 'member' = 'owner') => {
    const session = await world.session(who);
    await world.rows("update session set signed_in_at = now() - interval '11 minutes' where id = $1", [
      session.principal.credentialId,
    ]);
    return session;
  };
  const SIGN_IN_AGAIN = { code: 'FORBIDDEN', details: { actionHint: 'SIGN_IN_AGAIN' } };

  test('creates and rotates no live keys eleven minutes after the sign-in, only test keys', async () => {
    const own = await createApiKey(await world.session(), LIVE, SEALING);
    for (const who of ['owner', 'member'] as const)
      await expect(createApiKey(await stale(who), LIVE, SEALING)).rejects.toMatchObject(SIGN_IN_AGAIN);
    await expect(rotateApiKey(await stale(), own.apiKey.id, SEALING)).rejects.toMatchObject(SIGN_IN_AGAIN);
    expect(await whose(own.secret)).not.toBeNull();
    await createApiKey(await stale(), { ...LIVE, environment: 'test' }, SEALING);
  });
});

test('an organization has at most 200 active keys, even with concurrent creation', async () => {
  const { organization } = await createOrganization(world.operator, {
    name: 'Many keys',
    ownerEmail: 'many-keys@example.com',
    ownerPassword: PASSWORD,
  });
  const theirs = world.contextOf({ ...world.operator.principal, organizationId: organization.id });
  const { apiKey } = await createApiKey(theirs, LIVE, SEALING);
  await world.rows(
    `insert into api_key (organization_id, id, account_user_id, created_by, hash, name, environment, scopes, may_write_unsigned, created_at)
     select organization_id, gen_random_uuid(), account_user_id, created_by, sha256(number::text::bytea), 'Key', 'live', scopes, false, created_at
       from api_key, generate_series(1, 197) number where id = $1`,
    [apiKey.id],
  );
  const { values, errors } = await atOnce(6, () => createApiKey(theirs, LIVE, SEALING));
  expect([values.length, errors.length]).toEqual([2, 4]);
  expect(errors[0]).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'The organization has 200 active API keys, which is the maximum. Revoke one first',
  });
  await revokeApiKey(theirs, apiKey.id);
  const last = await createApiKey(theirs, LIVE, SEALING);
  // An expired key does not count towards the limit.
  await expect(createApiKey(theirs, LIVE, SEALING)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await world.rows("update api_key set expires_at = now() - interval '1 second' where id = $1", [last.apiKey.id]);
  await createApiKey(theirs, LIVE, SEALING);
});
