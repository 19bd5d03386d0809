/**
 * Group commit: small requests of one sender that arrive while others are being stored share the next transaction.
 * Otherwise each would wait for the previous one's disk write, and for the balance that all of them debit.
 */
import type { Database } from '#platform/database/open-database.ts';
import { rounds } from '#platform/rounds.ts';
import type { UsageEventDraft } from '../events/parse-usage-event.ts';
import { BATCH_EVENTS_MAX } from '../config.ts';
import type { Outcome } from './batch-result.ts';
import type { IngestionSource } from './ingestion-source.ts';

/**
 * Stores `drafts`, which have distinct keys, and returns their outcomes in order, without those that the database
 * rejects.
 */
type Store = (source: IngestionSource, drafts: readonly UsageEventDraft[]) => Promise<Outcome[]>;

interface Request {
  readonly source: IngestionSource;
  readonly drafts: readonly UsageEventDraft[];
  readonly store: Store;
}

/** Larger batches gain little from sharing, and would delay the small ones: they have transactions of their own. */
const SMALL_EVENTS_MAX = 10;
/**
 * Concurrent transactions of a sender's small requests, and of an organization's larger batches: one writes while the
 * other waits for the disk. With more, events are accepted faster than they are priced and attributed.
 */
const STORING_MAX = 2;
/**
 * Maximum number of waiting requests. Further requests are stored separately, subject to each organization's share of
 * connections.
 */
const WAITING_MAX = 1_000;

const roundsOf = (fitting: (waiting: readonly Request[]) => number) =>
  rounds<Request, Outcome[]>({ atOnce: STORING_MAX, waitingMax: WAITING_MAX, fitting, serve: storeGroup });
const queuesOf = () => ({ small: roundsOf(countFitting), large: roundsOf(() => 1) });
const queues = new WeakMap<Database, ReturnType<typeof queuesOf>>();

/**
 * Returns the outcomes of `drafts` from `store`. A failure of the shared transaction fails all its requests, and
 * nothing is stored.
 */
export async function storeWithGroupCommit(
  database: Database,
  source: IngestionSource,
  drafts: readonly UsageEventDraft[],
  store: Store,
): Promise<Outcome[]> {
  const own = queues.get(database) ?? queuesOf();
  queues.set(database, own);
  const request = { source, drafts, store };
  if (drafts.length > SMALL_EVENTS_MAX) return own.large(source.organizationId, request);
  const sender = [source.organizationId, source.accountUserId, source.apiKeyId, source.livemode].join(' ');
  return own.small(sender, request);
}

/** Uses the receipt time of the last request. */
async function storeGroup(group: readonly Request[]): Promise<Outcome[][]> {
  const { source, store } = group.at(-1)!;
  const outcomes = await store(
    source,
    group.flatMap(({ drafts }) => drafts),
  );
  return group.map(({ drafts }) => outcomesOf(drafts, outcomes));
}

/**
 * Counts the first requests that fit into a batch and have distinct keys: the second of two equal keys must see the
 * first one stored.
 */
function countFitting(waiting: readonly Request[]): number {
  const keys = new Set<string>();
  let count = 0;
  for (const { drafts } of waiting) {
    if (keys.size + drafts.length > BATCH_EVENTS_MAX) break;
    if (drafts.some(({ idempotencyKey }) => keys.has(idempotencyKey))) break;
    for (const { idempotencyKey } of drafts) keys.add(idempotencyKey);
    count++;
  }
  return count;
}

function outcomesOf(drafts: readonly UsageEventDraft[], outcomes: readonly Outcome[]): Outcome[] {
  const own = new Set(drafts);
  return outcomes.filter(({ draft }) => own.has(draft));
}
