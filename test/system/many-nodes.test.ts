/** Costing and attribution on a server of several nodes (Citus), the others on a plain one. Needs an engine (`citus-cluster.ts`). */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../platform/config.ts';
import { query } from '../../platform/database/sql.ts';
import { insertAuditRecord } from '../../platform/subgraph/audit-record.ts';
import { openDatabases } from '../../start/databases.ts';
import { attribution } from '../../subgraphs/attribution/main.ts';
import { describeBooks } from '../support/books/describe-books.ts';
import { type CitusCluster, HAS_ENGINE, startCitus } from '../support/citus-cluster.ts';
import { runningService } from '../support/running-service.ts';

const FIRST_PORT = 9_600 + 4 * (process.pid % 100);

const ONE = '0198c0de-0000-7000-8000-000000000001';
const OTHER = '0198c0de-0000-7000-8000-000000000002';

describe.skipIf(!HAS_ENGINE)('on several nodes', () => {
  let cluster: CitusCluster;
  const settings = () => ({
    COSTING_DATABASE_URL: cluster.url('costing'),
    ATTRIBUTION_DATABASE_URL: cluster.url('attribution'),
  });
  const open = () => openDatabases([attribution], readConfig(settings()), () => {});
  const distribute = async () => {
    const env = { ...process.env, ...settings() };
    return (await promisify(execFile)('start/run', ['distribute'], { env })).stdout;
  };

  beforeAll(async () => {
    cluster = await startCitus(FIRST_PORT, { workers: 2, databases: ['costing', 'attribution'] });
    expect(await distribute()).toMatch(
      /^Distributed \d+ tables of attribution and costing|^Distributed \d+ tables of costing/,
    );
    expect(await distribute()).toBe('Everything is distributed already.\n');
  }, 120_000);
  afterAll(() => cluster.stop());

  describeBooks(() => runningService(settings()));

  it('lets an organization in to what is its own, for writing and for reading, and no one else', async () => {
    const databases = await open();
    const database = databases.of['attribution']!;
    const event = { organizationId: ONE, at: new Date(), action: 'dimension.created', actorKind: 'operator' } as const;
    await database.forOrganization(ONE, (em) => insertAuditRecord(em, event));
    const look = (organizationId: string) =>
      database.read(organizationId, (tx) =>
        query(tx, 'select act from audit_record where organization_id = $1', [ONE]),
      );
    expect(await look(ONE)).toEqual([{ act: 'dimension.created' }]);
    expect(await look(OTHER)).toEqual([]);
    await expect(database.forOrganization(OTHER, (em) => insertAuditRecord(em, event))).rejects.toThrow(
      /row-level security/,
    );
    await databases.close();
  });

  it('stops the start where its nodes are not told whose request it is', async () => {
    await cluster.asOperator('attribution', (client) =>
      client.query("alter database attribution set citus.propagate_set_commands = 'none'"),
    );
    await expect(open()).rejects.toThrow(
      /^Row-level security of the database attribution does not do what it should: .* citus\.propagate_set_commands = 'local'/,
    );
    await cluster.asOperator('attribution', (client) =>
      client.query('alter database attribution reset citus.propagate_set_commands'),
    );
    await (await open()).close();
  });

  it('stops the start where some tables are distributed and others are not', async () => {
    const make = 'create table added (organization_id uuid primary key); alter table added enable row level security';
    await cluster.asOperator('attribution', (client) => client.query(make));
    await expect(open()).rejects.toThrow('Not all tables are distributed: run `admin cluster distribute`, for added');
    await cluster.asOperator('attribution', (client) => client.query('drop table added'));
  });
});
