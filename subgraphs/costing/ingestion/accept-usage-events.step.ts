/**
 * Deduplicates, charges and stores events in one transaction: with separate ones, a resend could spend credits twice
 * (decision 9, D9, D11).
 */
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import type { Acceptance } from './ingestion-result.ts';
import type { IngestionSource } from './ingestion-source.ts';
import { spendCredits } from '../credits/spend-credits.ts';
import type { UsageEventDraft } from '../events/parse-usage-event.ts';
import { lockCredits, saveSpending } from '../credits/credit-account.table.ts';
import { insertAndCommit, insertUsageEvents, type NumberedDraft } from './insert-usage-events.step.ts';
import { queueEvents } from '../pricing-queue/pricing-job.table.ts';
import { findIdsByKey, removeUncoveredEvents } from '../events/usage-event.table.ts';
import { hasRateCard } from '../rates/resolve-rate-card.step.ts';

export interface AcceptedDraft {
  readonly draft: UsageEventDraft;
  readonly acceptance: Acceptance;
}

/**
 * The first `covered` of the new events are paid and queued. `usedOfPlan` is the plan's use before the first of
 * them.
 */
interface Charge {
  readonly covered: number;
  readonly usedOfPlan: number;
  readonly softLimit: number;
}

const UNLIMITED: Charge = { covered: Infinity, usedOfPlan: 0, softLimit: Infinity };

/**
 * `drafts` have distinct keys; results are in their order. If credits do not suffice, the first new events are
 * accepted, and the others are removed as if never sent.
 */
export async function acceptUsageEvents(
  tx: WriteTransaction,
  source: IngestionSource,
  drafts: readonly UsageEventDraft[],
): Promise<AcceptedDraft[]> {
  const { jobId, numbered } = numberDrafts(drafts);
  const { insertedIds, ...insertion } = await insertUsageEvents(tx, source, jobId, inOrder(numbered));
  const isInserted = new Set(insertedIds);
  const inserted = numbered.map(({ id }) => id).filter((id) => isInserted.has(id));
  const charge = insertion.isCharged
    ? chargedAtOnce(insertion.plan, inserted.length)
    : await chargeCredits(tx, source, jobId, inserted);
  return resultsOf(numbered, {
    isInserted,
    charge,
    existingIds: await findExistingIds(tx, source, numbered, isInserted),
  });
}

/**
 * Accepts events in a transaction with as few round trips as possible, since it blocks all senders of the organization.
 * Its last statement stores, debits, queues and commits. Whether a card prices each event is checked before anything is
 * locked. Returns null, and stores nothing, if the plan's credits do not cover all events. Only for a single node.
 */
export async function acceptAtOnce(
  database: Database,
  source: IngestionSource,
  drafts: readonly UsageEventDraft[],
): Promise<{ readonly priced: boolean[]; readonly accepted: AcceptedDraft[] } | null> {
  const { jobId, numbered } = numberDrafts(drafts);
  const { organizationId } = source;
  const { priced, insertion } = await database.write(organizationId, async (tx) => ({
    priced: await hasRateCard(tx, organizationId, drafts),
    insertion: await insertAndCommit(tx, source, jobId, inOrder(numbered)),
  }));
  if (insertion === null) return null;
  const isInserted = new Set(insertion.insertedIds);
  const existingIds =
    isInserted.size === numbered.length
      ? NOTHING
      : await database.write(organizationId, (tx) => findExistingIds(tx, source, numbered, isInserted));
  const charge = chargedAtOnce(insertion.plan, isInserted.size);
  return { priced, accepted: resultsOf(numbered, { isInserted, charge, existingIds }) };
}

function numberDrafts(drafts: readonly UsageEventDraft[]): { jobId: string; numbered: NumberedDraft[] } {
  const [jobId = '', ...ids] = uuidsV7(drafts.length + 1);
  return { jobId, numbered: drafts.map((draft, index) => ({ id: ids[index] ?? '', draft })) };
}

/** Ids of the events whose keys already existed. */
async function findExistingIds(
  tx: WriteTransaction,
  { organizationId, livemode }: IngestionSource,
  numbered: readonly NumberedDraft[],
  isInserted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const existingKeys = numbered.filter(({ id }) => !isInserted.has(id)).map(({ draft }) => draft.idempotencyKey);
  return existingKeys.length === 0 ? NOTHING : findIdsByKey(tx, organizationId, livemode, existingKeys);
}

interface Insertion {
  readonly isInserted: ReadonlySet<string>;
  readonly charge: Charge;
  readonly existingIds: ReadonlyMap<string, string>;
}

function resultsOf(
  numbered: readonly NumberedDraft[],
  { isInserted, charge, existingIds }: Insertion,
): AcceptedDraft[] {
  let position = 0;
  const acceptanceOf = ({ id, draft }: NumberedDraft): Acceptance => {
    if (!isInserted.has(id))
      return { outcome: 'resent', eventId: existingIds.get(draft.idempotencyKey) ?? failMissing(draft) };
    position++;
    if (position > charge.covered) return { outcome: 'uncovered' };
    return { outcome: 'new', eventId: id, isPastSoftLimit: charge.usedOfPlan + position > charge.softLimit };
  };
  return numbered.map((one) => ({ draft: one.draft, acceptance: acceptanceOf(one) }));
}

const NOTHING: ReadonlyMap<string, string> = new Map();

function chargedAtOnce(plan: { allotment: number; left: number; softLimit: number } | null, count: number): Charge {
  if (plan === null) return UNLIMITED;
  return { covered: count, usedOfPlan: plan.allotment - plan.left - count, softLimit: plan.softLimit };
}

/**
 * Called if the plan's credits do not cover the new rows: renews the plan if that is due, takes credits from packs, and
 * removes events that are not covered.
 */
async function chargeCredits(
  tx: WriteTransaction,
  { organizationId, receivedAt }: IngestionSource,
  jobId: string,
  inserted: readonly string[],
): Promise<Charge> {
  const { account, softLimit } = await lockCredits(tx, organizationId);
  const spending = spendCredits(account, receivedAt, inserted.length);
  await saveSpending(tx, organizationId, spending);
  const covered = inserted.slice(0, spending.covered);
  const surplus = inserted.slice(spending.covered);
  if (surplus.length > 0) await removeUncoveredEvents(tx, organizationId, surplus);
  if (covered.length > 0) await queueEvents(tx, organizationId, { id: jobId, eventIds: covered });
  const { allotment } = spending.account;
  return {
    covered: spending.covered,
    usedOfPlan: allotment === null ? 0 : allotment.size - allotment.left - spending.fromAllotment,
    softLimit: softLimit ?? Infinity,
  };
}

/** Sorted by code units, like every batch. Any order is fine as long as all batches use the same. */
function inOrder(numbered: readonly NumberedDraft[]): NumberedDraft[] {
  return [...numbered].sort(byKey);
}

function byKey({ draft: one }: NumberedDraft, { draft: other }: NumberedDraft): number {
  return one.idempotencyKey < other.idempotencyKey ? -1 : 1;
}

/** A key that existed before the insert exists after it: accepted events are never deleted. */
function failMissing({ idempotencyKey }: UsageEventDraft): never {
  throw new Error(`The event of key ${JSON.stringify(idempotencyKey)} is neither new nor stored`);
}
