import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { prepared } from '#platform/database/connections/prepared-sql.ts';
import type { Database } from '#platform/database/open-database.ts';
import { query } from '#platform/database/sql.ts';
import { attribution } from '../../../../subgraphs/attribution/main.ts';
import { freshDatabase } from '../../../support/fresh-database.ts';

const ADD =
  'insert into dimension (organization_id, key, label, registered_at) values ($1, $2, $2, now()) returning organization_id, key';
const ADD_AND_COMMIT = prepared(ADD, { commits: true });
const KEYS = 'select key from dimension order by key';

let database: Database;
beforeAll(async () => {
  database = await freshDatabase(attribution);
});
afterAll(() => database.close());

const keysOf = async (organizationId: string) =>
  (await database.snapshot(organizationId, (tx) => query<{ key: string }>(tx, KEYS))).map(({ key }) => key);

it('a statement that commits is visible to all, with the statements before it, before its transaction gets the result', async () => {
  const ours = randomUUID();
  for (const round of ['a', 'b', 'c']) {
    const rows = await database.write(ours, async (tx) => {
      await query(tx, ADD, [ours, `${round}1`]);
      const added = await query(tx, ADD_AND_COMMIT, [ours, `${round}2`]);
      expect(await keysOf(ours)).toContain(`${round}2`);
      return added;
    });
    expect(rows).toEqual([{ organizationId: ours, key: `${round}2` }]);
  }
  expect(await keysOf(ours)).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'c2']);
});

it('a failing statement that commits rolls back what came before it, and its connection can be reused', async () => {
  const ours = randomUUID();
  const failing = database.write(ours, async (tx) => {
    await query(tx, ADD, [ours, 'before']);
    await query(tx, ADD_AND_COMMIT, [randomUUID(), 'of another']);
  });
  await expect(failing).rejects.toThrow(/row-level security/);
  expect(await keysOf(ours)).toEqual([]);
  await database.write(ours, (tx) => query(tx, ADD_AND_COMMIT, [ours, 'after']));
  expect(await keysOf(ours)).toEqual(['after']);
});

it('a statement after a committing one is refused, so none runs without the role of its transaction', async () => {
  const [ours, theirs] = [randomUUID(), randomUUID()];
  const going = database.write(ours, async (tx) => {
    await query(tx, ADD_AND_COMMIT, [ours, 'last']);
    await query(tx, ADD, [theirs, 'one more']);
  });
  await expect(going).rejects.toThrow(/committed with its last statement/);
  expect(await keysOf(theirs)).toEqual([]);
  expect(await keysOf(ours)).toEqual(['last']);
  // The connections are unchanged.
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => database.write(ours, (tx) => query(tx, ADD, [ours, `${index}`]))),
  );
  expect(await keysOf(ours)).toHaveLength(21);
});
