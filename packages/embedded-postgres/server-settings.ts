/** The server's settings, sized to the machine that it shares with everything else of our own. */
import { totalmem } from 'node:os';

const MEBIBYTE = 1024 * 1024;

const CONNECTIONS_LEAST = 200;

/**
 * Every setting by its PostgreSQL name. `memoryBytes` is what the machine, or the container, has.
 *
 * - Committed is on disk, unless `durable` is false; then no one vacuums either: what tests leave is not worth a worker for each of
 *   hundreds of databases, again and again.
 * - No replica can follow an embedded server, so it writes the least WAL (`wal_level`). The packaged build has no lz4,
 *   and pglz costs more time than it saves, so WAL stays uncompressed.
 * - Our reads take milliseconds: planning them for several processes or compiling them costs more than it gives, and
 *   parallel queries need a `/dev/shm` larger than containers have. Huge pages kill the server in some containers.
 * - A transaction that idles holds the feed back, and locks: no one's may for long. A statement whose client has gone ends.
 * - Event tables only grow: vacuum and analyze early, in proportion to small changes.
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

/** A container's limit counts, when there is one below what the machine has. */
function machineMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
