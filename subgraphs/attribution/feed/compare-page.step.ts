/**
 * Compares a page of an organization's ledger with its facts. Missing facts are added, surplus facts are deleted, and
 * facts that differ are replaced.
 */
import { askGateway } from '#platform/ask-gateway.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import { internalGraphql } from '#schema/graphql.ts';
import type { FeedMark, LedgerPage } from '#schema/priced-feed.ts';
import { FOLLOWER } from '../config.ts';
import { recallEndUsers, rememberEndUsers } from '../end-users/end-user.table.ts';
import { applyFacts } from '../rollups/apply-facts.step.ts';
import { arrivingEndUsers, arrivingFacts, type Portion } from '../rollups/arriving-fact.ts';
import { removeUnlikeFacts, sumDaysAgain } from '../rollups/remove-facts.step.ts';
import type { ClaimedOffset, Replay } from './feed-offset.table.ts';
import type { FollowerDependencies } from './follow-feeds.step.ts';
import { forgetRefusals, hasRefusals } from './refused-fact.table.ts';
import { keepReadable, applyWithQuarantine } from './apply-with-quarantine.step.ts';

const DOCUMENT = internalGraphql(`query LedgerPage($organizationId: ID!, $cursor: JSON!) {
  ledgerPage(organizationId: $organizationId, cursor: $cursor)
}`);

export interface ComparedPage {
  /** The arrival number that the organization's offset row gets. */
  readonly arrival: string;
  readonly evidence: FeedMark | null;
  /** Null after the last page. */
  readonly replay: Replay | null;
  readonly facts: number;
}

/**
 * The page is read while the offset is locked, so no fact can arrive in between. `isCareful`: the database has
 * rejected some items, so they are set aside individually.
 */
export async function comparePage(
  tx: WriteTransaction,
  { gateway, log }: Pick<FollowerDependencies, 'gateway' | 'log'>,
  place: ClaimedOffset,
  replay: Replay,
  isCareful: boolean,
): Promise<ComparedPage> {
  const { organizationId } = place;
  const variables = { organizationId, cursor: replay.cursor };
  const answer = await askGateway(gateway, DOCUMENT, variables, servicePrincipal(FOLLOWER, randomUuid()));
  const page = answer.ledgerPage as LedgerPage;
  const whole: Portion = { organizationId, facts: page.facts, endUsers: page.endUsers };
  await forgetTaken(tx, whole);
  const portion = isCareful ? await keepReadable(tx, whole, log) : whole;
  const arrival = page.facts.length > 0 ? String(BigInt(place.arrival) + 1n) : place.arrival;
  const removed = replay.removed + (await removeUnlike(tx, replay, page, portion));
  await (isCareful ? applyWithQuarantine(tx, portion, arrival, log) : applyBatch(tx, portion, arrival));
  if (replay.cursor.phase === 'entries' && page.isLastOfPhase && removed > 0) await recallEndUsers(tx, organizationId);
  if (replay.sumsAll && page.next === null) await sumDaysAgain(tx, organizationId);
  const next: Replay | null = page.next === null ? null : { ...replay, cursor: page.next, removed };
  if (next === null) log.info({ organizationId, removed }, 'The facts of the organization match the ledger');
  return { arrival, evidence: later(place, page.head), replay: next, facts: page.facts.length };
}

async function removeUnlike(
  tx: WriteTransaction,
  { cursor }: Replay,
  { isLastOfPhase, next }: LedgerPage,
  portion: Portion,
): Promise<number> {
  if (cursor.phase !== 'entries') return 0;
  return removeUnlikeFacts(tx, portion.organizationId, arrivingFacts([portion]), {
    after: cursor,
    upTo: isLastOfPhase ? null : next,
    start: cursor.start ?? null,
    end: cursor.end ?? null,
  });
}

/** Deletes the refusals of items that are written now; items that are rejected again are recorded again. */
async function forgetTaken(tx: WriteTransaction, portion: Portion): Promise<void> {
  if (!(await hasRefusals(tx, portion.organizationId))) return;
  await forgetRefusals(tx, portion.organizationId, [
    ...portion.facts.map(({ eventId, sequence }) => `${eventId}/${sequence}`),
    ...arrivingEndUsers([portion]).map(({ id }) => id),
  ]);
}

/**
 * Keeps the mark of a page that is newer than the offset. When the offset reaches it, the feed may have a different
 * history.
 */
function later({ number, evidence }: ClaimedOffset, head: FeedMark | null): FeedMark | null {
  if (head === null || head.number <= Math.max(number, evidence?.number ?? 0)) return evidence;
  return head;
}

async function applyBatch(tx: WriteTransaction, portion: Portion, arrival: string): Promise<void> {
  await rememberEndUsers(tx, arrivingEndUsers([portion]));
  await applyFacts(tx, arrivingFacts([portion]), new Map([[portion.organizationId, arrival]]));
}
