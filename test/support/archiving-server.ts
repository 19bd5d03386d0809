/** A separate PostgreSQL that archives WAL and has replication slots, which the embedded server does not. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { findCluster } from '../../packages/embedded-postgres/choose-location.ts';
import { chooseAccount } from '../../packages/embedded-postgres/choose-account.ts';
import { launchServer } from '../../packages/embedded-postgres/launch-server.ts';
import { prepareBinaries } from '../../packages/embedded-postgres/prepare-binaries.ts';
import { serverSettings } from '../../packages/embedded-postgres/server-settings.ts';
import { startEmbeddedPostgres } from '../../packages/embedded-postgres/start-embedded-postgres.ts';

export async function archivingServer(): Promise<{ client: pg.Client; close(): Promise<void> }> {
  const directory = mkdtempSync('/tmp/archiving-');
  chmodSync(directory, 0o711);
  const { dataDirectory, host, port, user, password, stop } = await startEmbeddedPostgres({
    dataDirectory: directory,
    durable: false,
  });
  await stop();
  const { cluster } = findCluster(dataDirectory)!;
  const account = chooseAccount(cluster);
  const server = await launchServer({
    binaries: await prepareBinaries({ account, location: dataDirectory, onProgress: () => {} }),
    cluster,
    account,
    onProgress: () => {},
    logFile: join(dataDirectory, 'postgres.log'),
    settings: {
      ...serverSettings({ durable: false }),
      port: String(port),
      unix_socket_directories: host,
      wal_level: 'replica',
      max_wal_senders: '1',
      max_wal_size: '32MB',
      min_wal_size: '32MB',
      archive_mode: 'on',
    },
  });
  const client = new pg.Client({ host, port, user, password, database: 'postgres' });
  await client.connect();
  await client.query("alter system set archive_command = 'true'");
  await client.query('select pg_reload_conf()');
  return {
    client,
    async close() {
      await client.end();
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
