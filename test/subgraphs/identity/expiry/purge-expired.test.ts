/** Rows that have expired are kept for inquiries for some days, and then deleted. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { purgeExpired } from '../../../../subgraphs/identity/expiry/purge-expired.job.ts';
import { type Identity, startIdentity } from '../identity-builder.ts';

let world: Identity;
beforeAll(async () => {
  world = await startIdentity();
});
afterAll(() => world.close());

const IDS = 'organization_id, account_user_id';
const OWN = '(select organization_id from organization), (select id from account_user limit 1)';
const HASH = 'sha256(gen_random_uuid()::text::bytea)';
/** Columns and values of a row whose time `at` is `$1` hours ago. */
const ROWS: readonly (readonly [table: string, days: number, columns: string, values: string])[] = [
  [
    'session',
    30,
    `${IDS}, id, token_hash, signed_in_at, last_seen_at, address, user_agent, expires_at`,
    `${OWN}, gen_random_uuid(), ${HASH}, now(), now(), '', '', at`,
  ],
  [
    'session',
    30,
    `${IDS}, id, token_hash, signed_in_at, last_seen_at, address, user_agent, expires_at, ended_at`,
    `${OWN}, gen_random_uuid(), ${HASH}, now(), now(), '', '', now(), at`,
  ],
  [
    'sign_in_attempt',
    1,
    `${IDS}, id, token_hash, guesses, created_at, expires_at`,
    `${OWN}, gen_random_uuid(), ${HASH}, 0, at, at`,
  ],
  ['passkey_challenge', 0, 'challenge_hash, purpose, expires_at', `${HASH}, 'sign-in', at`],
  [
    'authorization_request',
    1,
    `${IDS}, id, session_id, client_id, client_name, redirect_uri, code_challenge, scopes, created_at, expires_at`,
    `${OWN}, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '', '', '', '{}', at, at`,
  ],
  [
    'authorization_code',
    30,
    `${IDS}, hash, client_id, redirect_uri, code_challenge, scopes, created_at, expires_at`,
    `${OWN}, ${HASH}, gen_random_uuid(), '', '', '{}', at, at`,
  ],
  [
    'device_login',
    1,
    'id, device_code_hash, user_code_hash, client_id, client_name, machine_name, interval_seconds, next_poll_at, created_at, expires_at',
    `gen_random_uuid(), ${HASH}, ${HASH}, '', '', '', 5, at, at, at`,
  ],
  ['throttle', 1, 'subject, count, since, last_at', `${HASH}, 1, at, at`],
  [
    'invitation',
    30,
    'organization_id, id, email, role, token_hash, created_at, expires_at',
    `(select organization_id from organization), gen_random_uuid(), '', 'member', ${HASH}, at, at`,
  ],
  [
    'password_reset',
    30,
    `${IDS}, id, token_hash, created_at, expires_at`,
    `${OWN}, gen_random_uuid(), ${HASH}, at, at`,
  ],
];

test.each(ROWS)('a row of %s is kept for %d days', async (table, days, columns, values) => {
  const add = (hours: number) =>
    world.rows(
      `insert into ${table} (${columns}) select ${values} from (select now() - $1::int * interval '1 hour' as at) as given`,
      [hours],
    );
  const count = async () => (await world.rows(`select 1 from ${table}`)).length;
  await world.rows(`delete from ${table}`);
  await add(days * 24 - 1);
  await add(days * 24 + 1);
  await purgeExpired({ database: world.database }).step();
  expect(await count()).toBe(1);
});

test('a second factor that was never confirmed is kept for a day, and a confirmed one for ever', async () => {
  const add = (hours: number, confirmed: string | null) =>
    world.rows(
      `insert into second_factor (organization_id, account_user_id, sealed, created_at, confirmed_at, last_step)
       select organization_id, gen_random_uuid(), '', now() - $1::int * interval '1 hour', $2, $1 from organization`,
      [hours, confirmed],
    );
  await add(23, null);
  await add(25, null);
  await add(26, '2020-01-01');
  await purgeExpired({ database: world.database }).step();
  expect(await world.rows('select last_step from second_factor order by last_step')).toEqual([
    { lastStep: 23 },
    { lastStep: 26 },
  ]);
});
