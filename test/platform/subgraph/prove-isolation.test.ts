import { expect, it } from 'vitest';
import { withClient } from '#platform/database/prepare-database.ts';
import { proveAdmission, proveIsolation } from '#platform/subgraph/prove-isolation.ts';
import { attribution } from '../../../subgraphs/attribution/main.ts';
import { freshDatabase } from '../../support/fresh-database.ts';

it('a subgraph without an audit log table fails at the start', async () => {
  const database = await freshDatabase(attribution);
  await proveAdmission(database);
  await withClient(database.target, (client) => client.query('drop table audit_record'));
  await expect(proveAdmission(database)).rejects.toThrow(
    /^A subgraph needs a table for its audit log: use auditTable\(\)/,
  );
  await database.close();
});

it.each(['disable', 'no force'])(
  'a table of organizations with %s row level security fails at the start',
  async (change) => {
    const database = await freshDatabase(attribution);
    await proveIsolation(database);
    await withClient(database.target, (client) => client.query(`alter table end_user ${change} row level security`));
    await expect(proveIsolation(database)).rejects.toThrow(/are not under row-level security: end_user$/);
    await database.close();
  },
);
