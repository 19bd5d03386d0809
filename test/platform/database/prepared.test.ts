import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepared } from '#platform/database/connections/prepared-sql.ts';
import type { Database } from '#platform/database/open-database.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { query } from '#platform/database/sql.ts';
import { attribution } from '../../../subgraphs/attribution/main.ts';
import { freshDatabase } from '../../support/fresh-database.ts';

const ADD = prepared(
  'insert into dimension (organization_id, key, label, registered_at) values ($1, $2, $2, now()) returning *',
);
const KEPT = 'select name from pg_prepared_statements where statement = $1';

let database: Database;
beforeAll(async () => {
  database = await freshDatabase(attribution);
});
afterAll(() => database.close());

const add = (organizationId: string) =>
  database.write(organizationId, (tx) => query<object>(tx, ADD, [organizationId, randomUUID()]));

describe('a prepared statement', () => {
  it('is kept by the connection, and writes under the policies of the role that runs it', async () => {
    const [ours, theirs] = [randomUUID(), randomUUID()];
    for (let times = 0; times < 8; times++) {
      await add(ours);
      await add(theirs);
    }
    await database.write(ours, async (tx) => {
      await query(tx, ADD, [ours, 'kept']);
      expect(await query(tx, KEPT, [ADD.text])).toHaveLength(1);
      expect(await query(tx, 'select from dimension')).toHaveLength(9);
    });
    const foreign = database.write(ours, (tx) => query(tx, ADD, [theirs, 'foreign']));
    await expect(foreign).rejects.toThrow(/row-level security/);
  });

  it('is prepared again when a migration changes its result', async () => {
    const organizationId = randomUUID();
    expect(Object.keys((await add(organizationId))[0]!)).not.toContain('note');
    await withClient(database.target, (client) => client.query('alter table dimension add note text'));
    for (let tries = 0; tries < 20; tries++) await add(organizationId).catch(() => {});
    expect(Object.keys((await add(organizationId))[0]!)).toContain('note');
  });
});
