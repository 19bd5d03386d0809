/** The server's settings, sized for a machine it shares with the rest of the service. */
import { totalmem } from 'node:os';

const MEBIBYTE = 1024 * 1024;

const CONNECTIONS_LEAST = 200;

/**
 * Settings by PostgreSQL name. `memoryBytes` is the memory of the machine or the container.
 *
 * - Commits are on disk unless `durable` is false. Then autovacuum is off too: test data is not worth a worker for each of
 *   hundreds of databases.
 * - An embedded server has no replicas, so it writes minimal WAL (`wal_level`). The packaged build has no lz4, and pglz
 *   costs more time than it saves, so WAL stays uncompressed.
 * - Reads take milliseconds, so parallel plans and JIT compilation cost more than they save. Parallel queries also need
 *   a larger `/dev/shm` than containers have. Huge pages kill the server in some containers.
 * - Idle transactions hold locks and delay the feed, so they are limited. Statements of disconnected clients are canceled.
 * - Event tables only grow, so they are vacuumed and analyzed early, after small relative changes.
 */
export function serverSettings({
  durable,
  connections = CONNECTIONS_LEAST,
  memoryBytes = machineMemory(),
}: {
  durable: boolean;
  connections?: number;
  memoryBytes?: number;
}): Record<string, string> {
  const share = (divisor: number, least: number, most: number) =>
    `${Math.floor(Math.min(Math.max(memoryBytes / MEBIBYTE / divisor, least), most))}MB`;
  const commit = durable ? 'on' : 'off';
  return {
    listen_addresses: '',
    unix_socket_permissions: '0700',
    max_connections: String(Math.max(connections, CONNECTIONS_LEAST)),
    shared_buffers: durable ? share(4, 32, 4096) : share(16, 32, 256),
    effective_cache_size: share(2, 64, 1024 * 1024),
    work_mem: share(400, 4, 32),
    maintenance_work_mem: share(16, 32, 1024),
    huge_pages: 'off',
    fsync: commit,
    synchronous_commit: commit,
    full_page_writes: commit,
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '2GB',
    min_wal_size: '160MB',
    checkpoint_timeout: '15min',
    idle_in_transaction_session_timeout: '5min',
    client_connection_check_interval: '5s',
    jit: 'off',
    max_parallel_workers_per_gather: '0',
    random_page_cost: '1.1',
    autovacuum: commit,
    autovacuum_naptime: '20s',
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_vacuum_insert_scale_factor: '0.1',
    autovacuum_analyze_scale_factor: '0.05',
    autovacuum_vacuum_cost_limit: '1000',
    log_checkpoints: 'off',
    log_line_prefix: '%m [%p] %q%u@%d ',
    log_timezone: 'UTC',
    timezone: 'UTC',
  };
}

/** Memory of the machine, or the container's limit if lower. */
function machineMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
