/**
 * Replays the past of one organization from the ledger, in primary key order, so that it can be interrupted and
 * resumed.
 */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import type { LedgerPage, ReplayCursor } from '#schema/priced-feed.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import { LEDGER_FACT_COLUMNS, type LedgerFactRow, toLedgerFacts } from './ledger-facts.query.ts';
import { seenEndUsers } from './seen-end-users.ts';
import { PRICEABLE_COLUMNS, type PriceableRow } from '../pricing/priceable-event.query.ts';
import { GLOBAL_TENANT, REPLAY_PAGE_ENTRIES } from '../config.ts';

type Page = Omit<LedgerPage, 'head'>;

/** The next page after the cursor. */
export function replayLedger(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  cursor: ReplayCursor,
): Promise<Page> {
  return cursor.phase === 'entries'
    ? replayEntries(tx, organizationId, cursor)
    : replayWaiting(tx, organizationId, cursor);
}

const isWithin = (column: string) =>
  `(:start::timestamptz is null or ${column} >= :start) and (:end::timestamptz is null or ${column} < :end)`;

/**
 * True if a fact is in the requested period. A late entry has two facts, and possibly only one of them is in the
 * period.
 */
function isOf({ start, end }: ReplayCursor, atMs: number): boolean {
  return (start === undefined || atMs >= Date.parse(start)) && (end === undefined || atMs < Date.parse(end));
}

const REPLAY_ENTRIES = statement<
  LedgerFactRow,
  {
    readonly organizationId: OrganizationId;
    readonly eventId: EventId;
    readonly sequence: number;
    readonly start: string | null;
    readonly end: string | null;
    readonly replayPageEntries: number;
  }
>(`
    select ${LEDGER_FACT_COLUMNS}
    from cost_entry c join usage_event e on e.organization_id = c.organization_id and e.id = c.event_id
    where c.organization_id = :organizationId and (c.event_id, c.sequence) > (:eventId::uuid, :sequence::int) and c.livemode
      and ((c.booked_time is null or c.sequence = 0 or c.cause = 'reported') and ${isWithin('c.event_time')} or c.booked_time is not null and ${isWithin('c.booked_time')})
    order by c.event_id, c.sequence limit :replayPageEntries`);

async function replayEntries(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  cursor: ReplayCursor,
): Promise<Page> {
  const rows = await tx.all(REPLAY_ENTRIES, {
    organizationId,
    eventId: cursor.eventId,
    sequence: cursor.sequence,
    start: cursor.start ?? null,
    end: cursor.end ?? null,
    replayPageEntries: REPLAY_PAGE_ENTRIES,
  });
  const isLastOfPhase = rows.length < REPLAY_PAGE_ENTRIES;
  const last = rows.at(-1);
  return {
    facts: rows.flatMap(toLedgerFacts).filter(({ eventTime }) => isOf(cursor, Date.parse(eventTime))),
    endUsers: seenEndUsers(rows),
    isLastOfPhase,
    next:
      isLastOfPhase || !last
        ? { ...cursor, phase: 'waiting', eventId: GLOBAL_TENANT, sequence: 0 }
        : { ...cursor, eventId: last.id, sequence: last.sequence },
  };
}

const REPLAY_WAITING = statement<
  PriceableRow,
  {
    readonly organizationId: OrganizationId;
    readonly eventId: EventId;
    readonly start: string | null;
    readonly end: string | null;
    readonly replayPageEntries: number;
  }
>(`
    select ${PRICEABLE_COLUMNS}
    from unpriced_event u join usage_event e on e.organization_id = u.organization_id and e.id = u.event_id
    where u.organization_id = :organizationId and u.event_id > :eventId::uuid and u.livemode
      and (:start::timestamptz is null or e.event_time >= :start) and (:end::timestamptz is null or e.event_time < :end)
    order by u.event_id limit :replayPageEntries`);

/**
 * Events without a cost also name end users. If the row of such an event is deleted during the replay, the event
 * arrives through the feed.
 */
async function replayWaiting(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  cursor: ReplayCursor,
): Promise<Page> {
  const rows = await tx.all(REPLAY_WAITING, {
    organizationId,
    eventId: cursor.eventId,
    start: cursor.start ?? null,
    end: cursor.end ?? null,
    replayPageEntries: REPLAY_PAGE_ENTRIES,
  });
  const isLastOfPhase = rows.length < REPLAY_PAGE_ENTRIES;
  const last = rows.at(-1);
  return {
    facts: [],
    endUsers: seenEndUsers(rows),
    isLastOfPhase,
    next: isLastOfPhase || !last ? null : { ...cursor, eventId: last.id },
  };
}
