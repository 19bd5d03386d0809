/** The upgrade that normalizes the addresses of version 0.1. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { migrate } from '#platform/database/migrations/migrate.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { identity } from '../../../subgraphs/identity/main.ts';
import { earlierDatabase, migrationBefore } from '../../support/earlier-databases.ts';

test('an address is stored as NFC unless another account has that form', async () => {
  const database = await earlierDatabase(identity, migrationBefore(identity, 'people'));
  try {
    const [alone, taken] = ['caf\u00e9@example.com', 'ren\u00e9@example.com'];
    await withClient(database.target, async (client) => {
      await client.query('alter table account_user no force row level security');
      for (const email of [alone.normalize('NFD'), taken, taken.normalize('NFD')])
        await client.query(
          "insert into account_user (organization_id, id, email, password_hash, role, created_at) values ($1, $2, $3, 'x', 'member', now())",
          [randomUUID(), randomUUID(), email],
        );
      await client.query('alter table account_user force row level security');
    });
    await migrate(database);
    await withClient(database.target, async (client) => {
      await client.query('set role identity_jobs');
      const { rows } = await client.query<{ email: string }>('select email from account_user');
      expect(rows.map(({ email }) => email).sort()).toEqual([alone, taken, taken.normalize('NFD')].sort());
    });
  } finally {
    await database.close();
  }
});
