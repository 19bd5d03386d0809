/**
 * Replays the past of one organization from the ledger, in primary key order, so that it can be interrupted and
 * resumed.
 */
import type { LedgerPage, ReplayCursor } from '#schema/priced-feed.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { query } from '#platform/database/sql.ts';
import { LEDGER_FACT_COLUMNS, type LedgerFactRow, toLedgerFacts } from './ledger-facts.query.ts';
import { seenEndUsers } from './seen-end-users.ts';
import { PRICEABLE_COLUMNS, type PriceableRow } from '../pricing/priceable-event.query.ts';
import { GLOBAL_TENANT, REPLAY_PAGE_ENTRIES } from '../config.ts';

type Page = Omit<LedgerPage, 'head'>;

/** The next page after the cursor. */
export function replayLedger(tx: WriteTransaction, organizationId: string, cursor: ReplayCursor): Promise<Page> {
  return cursor.phase === 'entries'
    ? replayEntries(tx, organizationId, cursor)
    : replayWaiting(tx, organizationId, cursor);
}

const isWithin = (column: string) =>
  `($4::timestamptz is null or ${column} >= $4) and ($5::timestamptz is null or ${column} < $5)`;

/** For a late entry, one of its two facts may be in the requested period and the other not. */
function isOf({ start, end }: ReplayCursor, atMs: number): boolean {
  return (start === undefined || atMs >= Date.parse(start)) && (end === undefined || atMs < Date.parse(end));
}

async function replayEntries(tx: WriteTransaction, organizationId: string, cursor: ReplayCursor): Promise<Page> {
  const rows = await query<LedgerFactRow>(
    tx,
    `
    select ${LEDGER_FACT_COLUMNS}
    from cost_entry c join usage_event e on e.organization_id = c.organization_id and e.id = c.event_id
    where c.organization_id = $1 and (c.event_id, c.sequence) > ($2::uuid, $3::int) and c.livemode
      and ((c.booked_time is null or c.sequence = 0 or c.cause = 'reported') and ${isWithin('c.event_time')} or c.booked_time is not null and ${isWithin('c.booked_time')})
    order by c.event_id, c.sequence limit $6`,
    [organizationId, cursor.eventId, cursor.sequence, cursor.start ?? null, cursor.end ?? null, REPLAY_PAGE_ENTRIES],
  );
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

/**
 * Events without a cost also name end users. If such a row is deleted during the replay, its event arrives through the
 * feed.
 */
async function replayWaiting(tx: WriteTransaction, organizationId: string, cursor: ReplayCursor): Promise<Page> {
  const rows = await query<PriceableRow>(
    tx,
    `
    select ${PRICEABLE_COLUMNS}
    from unpriced_event u join usage_event e on e.organization_id = u.organization_id and e.id = u.event_id
    where u.organization_id = $1 and u.event_id > $2::uuid and u.livemode
      and ($3::timestamptz is null or e.event_time >= $3) and ($4::timestamptz is null or e.event_time < $4)
    order by u.event_id limit $5`,
    [organizationId, cursor.eventId, cursor.start ?? null, cursor.end ?? null, REPLAY_PAGE_ENTRIES],
  );
  const isLastOfPhase = rows.length < REPLAY_PAGE_ENTRIES;
  const last = rows.at(-1);
  return {
    facts: [],
    endUsers: seenEndUsers(rows),
    isLastOfPhase,
    next: isLastOfPhase || !last ? null : { ...cursor, eventId: last.id },
  };
}
