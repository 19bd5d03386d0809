/** Pulls the bill of a connection that is due and stores it like an imported file. */
import { later } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { Job } from '#platform/job-loop.ts';
import { describeOutboundError } from '#platform/outbound/describe-outbound-error.ts';
import type { Outbound } from '#platform/outbound/outbound-client.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { KnownError } from '#kernel/errors.ts';
import { ADMIN_KEY_SEAL, PULL_HOURS, PULL_LEASE_MINUTES, RETRY_MINUTES } from '../config.ts';
import {
  type BillConnectionRow,
  claimDueConnection,
  findConnection,
  holdConnection,
  isAnyConnectionDue,
  saveConnection,
} from '../connections/bill-connection.table.ts';
import { isPulledSource } from '../connections/source-facts.ts';
import { savePullParts } from './bill-pull-part.table.ts';
import { readBody } from './read-body.step.ts';
import { PullError, readSource } from './read-source.step.ts';
import { storeBill } from './store-bill.step.ts';

const REST_MILLISECONDS = 30_000;
const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

type Dependencies = Pick<SubgraphDependencies, 'database' | 'log' | 'sealing'> & { readonly outbound: Outbound };

export function pullBillsJob(dependencies: Dependencies): Job {
  const { database } = dependencies;
  return {
    name: 'pull-bills',
    restMilliseconds: REST_MILLISECONDS,
    step: async () => {
      const at = now();
      const connection = await database.system(async (tx) => {
        if (!(await isAnyConnectionDue(tx, at))) return null;
        const due = await claimDueConnection(tx, at, later(at, PULL_LEASE_MINUTES * MINUTE_SECONDS));
        return due === null ? null : findConnection(tx, due.organizationId, due.id);
      });
      if (connection === null) return 'idle';
      await pull(dependencies, connection);
      return 'more';
    },
  };
}

async function pull({ database, log, sealing, outbound }: Dependencies, connection: BillConnectionRow): Promise<void> {
  const { organizationId, id: connectionId, source, sealedKey, apiBase } = connection;
  try {
    const key = sealedKey === null ? null : sealing.tryUnseal(sealedKey, ADMIN_KEY_SEAL, connectionId);
    if (key === null || !isPulledSource(source))
      throw new PullError('the key cannot be decrypted: the operator must restore an encryption key');
    const body = await readSource(outbound, { source, key, apiBase, at: now() });
    const read = await readBody(body);
    await database.system(async (tx) => {
      const at = now();
      const held = await holdUnchanged(tx, connection);
      if (held === null) return;
      await storeBill(tx, { organizationId, connectionId, at }, read, (pull) => savePullParts(tx, pull, body));
      const dueAt = later(at, PULL_HOURS * HOUR_SECONDS);
      await saveConnection(tx, { ...held, pulledAt: at, dueAt, lastError: null, failures: 0 });
    });
  } catch (error) {
    const reason = reasonOf(error);
    log.warn({ organizationId, connectionId, source, reason }, 'A bill could not be pulled');
    await database.system(async (tx) => {
      const held = await holdUnchanged(tx, connection);
      if (held === null) return;
      const failures = held.failures + 1;
      const minutes = Math.min(RETRY_MINUTES.first * 2 ** Math.min(failures - 1, 10), RETRY_MINUTES.longest);
      await saveConnection(tx, { ...held, dueAt: later(now(), minutes * MINUTE_SECONDS), lastError: reason, failures });
    });
  }
}

/** Null if the connection was deleted or given another key during the pull: the new key has a pull of its own. */
async function holdUnchanged(
  tx: WriteTransaction,
  { organizationId, id, sealedKey }: BillConnectionRow,
): Promise<BillConnectionRow | null> {
  const held = await holdConnection(tx, organizationId, id);
  if (held === null || held.sealedKey === null || sealedKey === null) return null;
  return Buffer.compare(held.sealedKey, sealedKey) === 0 ? held : null;
}

function reasonOf(error: unknown): string {
  return error instanceof PullError || error instanceof KnownError ? error.message : describeOutboundError(error);
}
