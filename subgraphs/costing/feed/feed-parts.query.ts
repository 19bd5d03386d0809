/** Queries for the batches after consumers' positions, and for organizations with pending batches. */
import type { OrganizationId } from '#kernel/ids.ts';
import { statementsOf } from '#platform/database/nodes/organization-rows.ts';
import { byOrganization, inTurn, type Look, lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import type { FeedMark, FeedPart, FeedOffset, PricedBatch, PricedBatchBody } from '#schema/priced-feed.ts';
import { FEED_DIGEST } from '#schema/priced-feed.ts';
import { FEED_PAGE_BYTES, FEED_PAGE_ORGANIZATION_BATCHES } from '../config.ts';

/**
 * Returns the batches after each position, in order, as many as fit into a page: every organization's first batches
 * before any second ones. Uses one statement and thus one snapshot, so positions are checked against the batches
 * returned.
 */
export async function readFeedParts(
  tx: WriteTransaction,
  places: readonly FeedOffset[],
  factsMax: number,
): Promise<FeedPart[]> {
  const rows: PartRow[] = [];
  for (const some of statementsOf(tx, places)) rows.push(...(await tx.all(READ, partsInput(some, factsMax))));
  return [...Map.groupBy(rows, ({ organizationId }) => organizationId)].map(([organizationId, ofOne]): FeedPart => {
    const { headNumber, headToken, isKnown } = ofOne[0]!;
    return {
      organizationId,
      head: headNumber === null ? null : { number: headNumber, token: headToken },
      isKnown,
      batches: ofOne.flatMap(({ number, token, body }): PricedBatch[] =>
        body === null ? [] : [{ ...body, number: number ?? 0, token: token ?? '' }],
      ),
    };
  });
}

interface PartsInput {
  readonly organizationIds: readonly OrganizationId[];
  /** The only organization of the statement, if there are several nodes. */
  readonly organizationId: OrganizationId;
  readonly numbers: readonly number[];
  readonly tokens: readonly (string | null)[];
  readonly evidenceNumbers: readonly (number | null)[];
  readonly evidenceTokens: readonly (string | null)[];
  readonly batchesMax: number;
  readonly factsMax: number;
  readonly bytesMax: number;
}

function partsInput(places: readonly FeedOffset[], factsMax: number): PartsInput {
  const organizationIds = places.map(({ organizationId }) => organizationId);
  return {
    organizationIds,
    organizationId: organizationIds[0]!,
    numbers: places.map(({ number }) => number),
    tokens: places.map(({ token }) => token),
    evidenceNumbers: places.map(({ evidence }) => evidence?.number ?? null),
    evidenceTokens: places.map(({ evidence }) => evidence?.token ?? null),
    batchesMax: FEED_PAGE_ORGANIZATION_BATCHES,
    factsMax,
    bytesMax: FEED_PAGE_BYTES,
  };
}

interface PartRow {
  readonly organizationId: OrganizationId;
  readonly headNumber: number | null;
  readonly headToken: string | null;
  readonly isKnown: boolean;
  readonly number: number | null;
  readonly token: string | null;
  readonly body: PricedBatchBody | null;
}

/** A position is known if the next batch names it as its predecessor, or if it is the head itself. */
const read = (places: string, organization: string) => `
  with place as (
    select * from ${places} as place (organization_id, number, token, evidence_number, evidence_token, turn)
  ), checked as materialized (
    select place.organization_id, place.number, place.turn, head.number as head_number, head.token as head_token,
      coalesce(case when place.number >= coalesce(head.number, 0)
        then place.number = coalesce(head.number, 0) and place.token is not distinct from head.token
        else following.number = place.number + 1 and following.previous_token is not distinct from place.token
      end, false) and (place.evidence_number is null
        or (head.number, head.token) = (place.evidence_number, place.evidence_token)
        or exists (select 1 from priced_batch evidence where evidence.organization_id = ${organization}
          and evidence.number = place.evidence_number and evidence.token = place.evidence_token)) as is_known
    from place
    left join feed_head head on head.organization_id = ${organization}
    left join lateral (
      select number, previous_token from priced_batch next
      where next.organization_id = ${organization} and next.number > place.number order by next.number limit 1) following on true
  ), candidate as (
    select checked.turn, batch.*, row_number() over (partition by checked.turn order by batch.number) as rank
    from checked cross join lateral (
      select * from priced_batch batch
      where batch.organization_id = ${organization.startsWith(':') ? organization : 'checked.organization_id'} and batch.number > checked.number and checked.is_known
      order by batch.number limit :batchesMax) batch
  ), bounded as (
    select *, row_number() over page as place_on_page, sum(size) over page - size as size_before,
      sum(bytes::bigint) over page - bytes as bytes_before
    from candidate window page as (order by rank, turn)
  )
  select checked.organization_id, checked.head_number::float8 as head_number, checked.head_token,
    checked.is_known, bounded.number::float8 as number, bounded.token, bounded.body
  from checked left join bounded on bounded.turn = checked.turn
    and (bounded.place_on_page = 1 or bounded.size_before < :factsMax and bounded.bytes_before < :bytesMax)
  order by checked.turn, bounded.number`;
const READ = statement<PartRow, PartsInput>({
  onOneNode: read(
    `unnest(:organizationIds::uuid[], :numbers::bigint[], :tokens::uuid[], :evidenceNumbers::bigint[],
      :evidenceTokens::uuid[]) with ordinality`,
    'place.organization_id',
  ),
  onSeveralNodes: read(
    `(values (:organizationId::uuid, (:numbers::bigint[])[1], (:tokens::uuid[])[1], (:evidenceNumbers::bigint[])[1],
      (:evidenceTokens::uuid[])[1], 1))`,
    ':organizationId',
  ),
});

export interface WaitingFeeds {
  /** Positions that the consumer is about to commit. */
  readonly coming: readonly AcknowledgedMark[];
  readonly after: string;
  readonly max: number;
  /** True to also check heads that are not marked as ahead. */
  readonly everywhere: boolean;
}

/**
 * Organizations with batches that a consumer has neither acknowledged nor is about to commit. Starts after `after`,
 * then wraps around.
 */
export function waitingFeeds(
  follower: string,
  { coming, after, max, everywhere }: WaitingFeeds,
): Look<{ readonly organizationId: OrganizationId }> {
  return {
    tables: ['feed_head', 'feed_acknowledgement'],
    text: (heads, acknowledgements) => `
      select head.organization_id from ${heads} head
      left join ${acknowledgements} acknowledged
        on acknowledged.organization_id = head.organization_id and acknowledged.follower = $1
      where ${everywhere ? '' : 'head.is_ahead and '}acknowledged.token is distinct from head.token and head.token <> all($4::uuid[])
      order by head.organization_id <= $2::uuid, head.organization_id limit $3`,
    parameters: [follower, after, max, coming.flatMap(({ token }) => token ?? [])],
    compare: inTurn(after),
  };
}

/** A consumer's acknowledged positions, ordered by organization. */
export interface AcknowledgedMark extends FeedMark {
  readonly organizationId: OrganizationId;
}

/** The next organizations that have a feed, except those on unreachable nodes. */
export async function listAcknowledgedMarks(
  database: Database,
  follower: string,
  after: string,
  max: number,
): Promise<AcknowledgedMark[]> {
  const marks = await lookAcross<AcknowledgedMark>(database, {
    tables: ['feed_head', 'feed_acknowledgement'],
    text: (heads, acknowledgements) => `
      select head.organization_id, coalesce(acknowledged.number, 0)::float8 as number, acknowledged.token
      from ${heads} head
      left join ${acknowledgements} acknowledged
        on acknowledged.organization_id = head.organization_id and acknowledged.follower = $1
      where head.organization_id > $2::uuid order by head.organization_id limit $3`,
    parameters: [follower, after, max],
    compare: byOrganization,
  });
  return marks.slice(0, max);
}

const FIND_HEAD = statement<FeedMark, { organizationId: OrganizationId }>(
  'select number::float8 as number, token from feed_head where organization_id = :organizationId',
);

/** The organization's last batch. */
export function findHead(tx: WriteTransaction, organizationId: OrganizationId): Promise<FeedMark | null> {
  return tx.first(FIND_HEAD, { organizationId });
}

const DIGEST_HEADS = statement<{ digest: string }, { organizationId: OrganizationId | null }>(
  `select ${FEED_DIGEST} as digest from feed_head where :organizationId::uuid is null or organization_id = :organizationId`,
);

/**
 * Digest of the heads, of one organization or of all. A consumer that has received everything computes the same digest.
 */
export async function digestHeads(tx: WriteTransaction, organizationId: OrganizationId | null): Promise<string> {
  return (await tx.one(DIGEST_HEADS, { organizationId })).digest;
}
