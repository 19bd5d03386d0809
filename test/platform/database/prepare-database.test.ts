/** The first start of an installation: all its processes create the databases and roles at the same time. */
import { randomBytes } from 'node:crypto';
import { expect, inject, it, vi } from 'vitest';
import { createDatabase, createRoles, requireVersion, withClient } from '#platform/database/prepare-database.ts';
import { jobsRole, servingRole } from '#platform/database/roles.ts';
import { faultProxy } from '../../support/fault-proxy.ts';
import { PATIENCE } from '../../support/patience.ts';

const ROUNDS = 4;
const PROCESSES = 12;

it('twelve processes that start at once all find the database and its roles', async () => {
  const server = { ...inject('server'), dbName: 'postgres' };
  for (let round = 0; round < ROUNDS; round += 1) {
    const name = `race_${randomBytes(6).toString('hex')}`;
    const target = { ...server, dbName: name };
    const all = Array.from({ length: PROCESSES });
    try {
      await Promise.all(all.map(() => createDatabase(target, 'postgres')));
      await Promise.all(all.map(() => withClient(target, (client) => createRoles(client, name))));
      const found = await withClient(target, (client) =>
        client.query('select count(*)::int as roles from pg_roles where rolname = any($1)', [
          [servingRole(name), jobsRole(name)],
        ]),
      );
      expect(found.rows).toEqual([{ roles: 2 }]);
    } finally {
      await withClient(server, async (client) => {
        await client.query(`drop database if exists ${name}`);
        for (const role of [servingRole(name), jobsRole(name)]) await client.query(`drop role if exists ${role}`);
      });
    }
  }
});

it('a start survives one connection that breaks before the server responds', async () => {
  const proxy = await faultProxy(inject('server'));
  const target = proxy.to({ ...inject('server'), dbName: 'postgres' });
  try {
    proxy.set('freeze');
    const required = requireVersion('costing', target);
    await vi.waitFor(() => expect(proxy.open()).toBe(1), PATIENCE);
    proxy.cut('reset');
    proxy.set('none');
    await required;
    proxy.set('refuse');
    await expect(requireVersion('costing', target)).rejects.toThrow(/The database costing cannot be used at/);
  } finally {
    await proxy.close();
  }
});
