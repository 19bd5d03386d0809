/**
 * The service's databases on a server of several nodes (Citus). Needs its engine: `CITUS_ENGINE`, or what lies where the repository's
 * neighbours keep it. Where there is none, these tests are skipped.
 */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../platform/config.ts';
import { withClient } from '../../platform/database/prepare-database.ts';
import { query } from '../../platform/database/sql.ts';
import { insertAuditRecord } from '../../platform/subgraph/audit-record.ts';
import { openDatabases } from '../../start/databases.ts';
import { attribution } from '../../subgraphs/attribution/main.ts';

const ENGINE = process.env['CITUS_ENGINE'] ?? resolve(import.meta.dirname, '../../../shared/engine/citus-pg18.tar.gz');
const run = promisify(execFile);

/** Of two that follow each other; other tests are given ports above 10,240. */
const FIRST_PORT = 9_700 + 2 * (process.pid % 200);

const ONE = '0198c0de-0000-7000-8000-000000000001';
const OTHER = '0198c0de-0000-7000-8000-000000000002';

describe.skipIf(!existsSync(ENGINE))('a database on several nodes', () => {
  let directory: string;
  let cluster: string;
  let url: string;

  const open = () => openDatabases([attribution], readConfig({ ATTRIBUTION_DATABASE_URL: url }), () => {});
  const asOperator = async (...statements: string[]): Promise<void> => {
    const { hostname: host, port } = new URL(url);
    const target = { host, port: Number(port), user: 'postgres', password: '', dbName: 'attribution' };
    await withClient(target, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'books-nodes-'));
    chmodSync(directory, 0o755);
    await run('tar', ['xzf', ENGINE, '-C', directory]);
    cluster = join(directory, 'citus-pg18/bin/citus-cluster');
    const env = {
      ...process.env,
      BASE_PORT: String(FIRST_PORT),
      WORKERS: '1',
      SHARDS: '4',
      DATABASES: 'attribution',
    };
    const { stdout } = await run(cluster, ['start', join(directory, 'data')], { env });
    url = stdout.trim().replace(/\/postgres$/, '/attribution');
    // What the service makes of it as it is, before anything is distributed.
    const databases = await open();
    await databases.close();
    await asOperator("select create_distributed_table('audit_record', 'organization_id')");
  });
  afterAll(async () => {
    await run(cluster, ['stop', join(directory, 'data')]);
    rmSync(directory, { recursive: true, force: true });
  });

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
    expect(await database.acrossOrganizations((em) => query(em, 'select act from audit_record'))).toHaveLength(1);
    await databases.close();
  });

  it('stops the start where its nodes are not told whose request it is', async () => {
    await asOperator("alter database attribution set citus.propagate_set_commands = 'none'");
    await expect(open()).rejects.toThrow(
      /^Row-level security of the database attribution does not do what it should: .* citus\.propagate_set_commands = 'local'/,
    );
    await asOperator('alter database attribution reset citus.propagate_set_commands');
    await (await open()).close();
  });
});
