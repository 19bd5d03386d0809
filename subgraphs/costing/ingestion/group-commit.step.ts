/**
 * Group commit: small requests of one sender that arrive while others are being stored share the next transaction.
 * Otherwise each would wait for the previous one's disk write, and for the balance that all of them debit.
 */
import type { Database } from '#platform/database/open-database.ts';
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
  readonly answer: (outcomes: Promise<Outcome[]>) => void;
}

interface Sender {
  storing: number;
  /** In order of arrival. */
  waiting: Request[];
}

/** Larger batches gain little from sharing, and would delay the small ones. */
const SMALL_EVENTS_MAX = 10;
/** Concurrent transactions of one sender: one writes while the other waits for the disk. */
const STORING_MAX = 2;
/**
 * Maximum number of waiting requests. Further requests are stored separately, subject to each organization's share of
 * connections.
 */
const WAITING_MAX = 1_000;

const senders = new WeakMap<Database, Map<string, Sender>>();

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
  const known = senders.get(database) ?? new Map<string, Sender>();
  senders.set(database, known);
  const key = [source.organizationId, source.accountUserId, source.apiKeyId, source.livemode].join(' ');
  const sender = known.get(key) ?? { storing: 0, waiting: [] };
  if (drafts.length > SMALL_EVENTS_MAX || sender.waiting.length >= WAITING_MAX) return store(source, drafts);
  known.set(key, sender);

  const serve = async (): Promise<void> => {
    sender.storing++;
    for (let group = takeGroup(sender.waiting); group.length > 0; group = takeGroup(sender.waiting)) {
      await storeGroup(group, store);
    }
    sender.storing--;
    if (sender.storing === 0) known.delete(key);
  };
  return new Promise((answer) => {
    sender.waiting.push({ source, drafts, answer });
    if (sender.storing < STORING_MAX) void serve();
  });
}

/** Uses the receipt time of the last request. */
async function storeGroup(group: readonly Request[], store: Store): Promise<void> {
  const { source } = group.at(-1)!;
  const together = group.flatMap(({ drafts }) => drafts);
  const stored = store(source, together);
  for (const { drafts, answer } of group) answer(stored.then((outcomes) => outcomesOf(drafts, outcomes)));
  await stored.catch(() => {});
}

/**
 * Takes the first requests that fit into a batch and have distinct keys: the second of two equal keys must see the
 * first one stored.
 */
function takeGroup(waiting: Request[]): Request[] {
  const keys = new Set<string>();
  let count = 0;
  for (const { drafts } of waiting) {
    if (keys.size + drafts.length > BATCH_EVENTS_MAX) break;
    if (drafts.some(({ idempotencyKey }) => keys.has(idempotencyKey))) break;
    for (const { idempotencyKey } of drafts) keys.add(idempotencyKey);
    count++;
  }
  return waiting.splice(0, count);
}

function outcomesOf(drafts: readonly UsageEventDraft[], outcomes: readonly Outcome[]): Outcome[] {
  const own = new Set(drafts);
  return outcomes.filter(({ draft }) => own.has(draft));
}
