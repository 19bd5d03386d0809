import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '#platform/database/open-database.ts';
import { query } from '#platform/database/sql.ts';
import { attribution } from '../../../subgraphs/attribution/main.ts';
import { freshDatabase } from '../../support/fresh-database.ts';

let database: Database;
beforeAll(async () => {
  database = await freshDatabase(attribution);
});
afterAll(() => database.close());

it('a commit waits for the disk, unless its content can be repeated', async () => {
  const commit = async (options?: { isDurable: boolean }) =>
    (await database.system((tx) => query(tx, 'show synchronous_commit'), options))[0];
  const usual = await commit();
  expect(await commit({ isDurable: false })).toEqual({ synchronousCommit: 'off' });
  expect(await commit({ isDurable: true })).toEqual(usual);
});
