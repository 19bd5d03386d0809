import { expect, it } from 'vitest';
import { withClient } from '#platform/database/prepare-database.ts';
import { query } from '#platform/database/sql.ts';
import { revenue } from '../../subgraphs/revenue/main.ts';
import { emptyDatabase, isOnNodes } from './fresh-database.ts';

it.skipIf(isOnNodes())('a closed database is used again without its rows, but not with other definitions', async () => {
  const first = await emptyDatabase(revenue);
  await first.system((tx) =>
    query(
      tx,
      "insert into audit_record select '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002', now(), 'test', 'operator'",
    ),
  );
  await first.close();
  const second = await emptyDatabase(revenue);
  expect(second.target.dbName).toBe(first.target.dbName);
  expect(await second.system((tx) => query(tx, 'select * from audit_record'))).toEqual([]);
  await withClient(second.target, (client) => client.query('alter table audit_record add constraint odd check (true)'));
  await second.close();
  const third = await emptyDatabase(revenue);
  expect(third.target.dbName).not.toBe(first.target.dbName);
  await third.close();
});
