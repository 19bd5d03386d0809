import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '#platform/database/migrations/migrate.ts';
import type { Database } from '#platform/database/open-database.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { jobsRole, servingRole } from '#platform/database/roles.ts';
import { query } from '#platform/database/sql.ts';
import { definitions } from '../../../../start/definitions.ts';
import { freshDatabase } from '../../../support/fresh-database.ts';

async function open(): Promise<Database> {
  const database = await freshDatabase(definitions.find(({ name }) => name === 'costing')!);
  onTestFinished(() => database.close());
  return database;
}

const canRead = (database: Database) => database.system((em) => query(em, 'select from usage_event'));
const grants = (database: Database) =>
  withClient(
    database.target,
    async (client) =>
      (
        await client.query<{ acl: string }>(
          "select coalesce(string_agg(relacl::text, ' ' order by oid), '') || (select nspacl::text from pg_namespace where nspname = 'public') as acl from pg_class where relnamespace = 'public'::regnamespace",
        )
      ).rows[0]?.acl,
  );

it.each([
  [
    'a start that died between the migrations and the grants',
    (roles: string) => `
    revoke all on all tables in schema public from ${roles}; revoke all on all sequences in schema public from ${roles};
    revoke all on schema public from ${roles}`,
  ],
  ['a restore that lost the privileges of one table', (roles: string) => `revoke delete on usage_event from ${roles}`],
] as const)('%s is repaired by the next start', async (_name, revoke) => {
  const database = await open();
  const before = await grants(database);
  await withClient(database.target, (client) =>
    client.query(revoke(`${servingRole('costing')}, ${jobsRole('costing')}`)),
  );
  expect(await grants(database)).not.toBe(before);
  expect(await migrate(database)).toBe(0);
  await canRead(database);
  expect(await migrate(database)).toBe(0);
});

it('several starts at once, and one with nothing to do, change nothing', async () => {
  const database = await open();
  const before = await grants(database);
  expect(await Promise.all([migrate(database), migrate(database), migrate(database)])).toEqual([0, 0, 0]);
  expect(await grants(database)).toBe(before);
});
