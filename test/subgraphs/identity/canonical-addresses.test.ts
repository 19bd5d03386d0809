/** The migration that normalizes the addresses of an older release. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { Migration20261121222705_people as People } from '../../../subgraphs/identity/migrations/20261121222705-people.ts';
import { startIdentity } from './identity-builder.ts';

test("an address becomes NFC unless that is another account's", async () => {
  const world = await startIdentity();
  try {
    const add = async (email: string) =>
      world.rows(
        'insert into account_user (organization_id, id, email, password_hash, role, created_at) values ($1, $2, $3, $4, $5, now())',
        [world.organizationId, randomUUID(), email, 'x', 'member'],
      );
    const [alone, taken] = ['caf\u00e9@example.com', 'ren\u00e9@example.com'];
    for (const email of [alone.normalize('NFD'), taken, taken.normalize('NFD')]) await add(email);
    const migration = new People(world.database.orm.driver, world.database.orm.config);
    void migration.up();
    const update =
      migration
        .getQueries()
        .map(String)
        .find((sql) => sql.startsWith('update "account_user"')) ?? '';
    await world.rows(update.replace(/;$/, ''));
    const rows = await world.rows<{ email: string }>("select email from account_user where password_hash = 'x'");
    expect(rows.map(({ email }) => email).sort()).toEqual([alone, taken, taken.normalize('NFD')].sort());
  } finally {
    await world.close();
  }
});
