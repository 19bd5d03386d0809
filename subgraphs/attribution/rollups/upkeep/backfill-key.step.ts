/** Rolls up a key over the facts that arrived before its boundary; the follower adds new ones. */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { byHome, type Home } from '#platform/database/nodes/organization-home.ts';
import { statement } from '#platform/database/statement.ts';
import { VALUES_PER_DAY_MAX } from '../../config.ts';
import { daySums, hourSums, oneKey } from '../roll-up.query.ts';
import { type GrownDay, grownDays, stopUnboundedKeys } from '../rollup-key.table.ts';
import { addToRollupDay } from '../rollup-day.table.ts';
import { addToRollupHour } from '../rollup-hour.table.ts';

export interface BackfillBounds {
  /** Facts per step. */
  readonly factsMax: number;
  readonly valuesPerDayMax?: number;
}

/**
 * Ordered by event time, so that a step touches few rows. The limit on arrivals leaves out facts that arrived after the
 * backfill began.
 */
const backfill = (home: Home) => `
  with chunk as materialized (
    select * from cost_fact
    where organization_id = :organizationId and arrival <= :boundary::bigint and event_time >= coalesce(:time::timestamptz, '-infinity')
      and (event_time, event_id, sequence) > (coalesce(:time::timestamptz, '-infinity'),
        coalesce(:eventId::uuid, '00000000-0000-0000-0000-000000000000'), coalesce(:sequence::int, -1))
    order by event_time, event_id, sequence limit :factsMax::int
  ),
  hour as materialized (${hourSums('chunk', oneKey(':key'))}),
  added_hour as (${addToRollupHour('hour', home)}),
  added_day as (${addToRollupDay(`(${daySums('hour')}) as day`, home)}),
  moved as (
    update rolled_key set cursor_time = last.event_time, cursor_event_id = last.event_id, cursor_sequence = last.sequence
    from (select event_time, event_id, sequence from chunk order by 1 desc, 2 desc, 3 desc limit 1) as last
    where rolled_key.organization_id = :organizationId and key = :key
  )
  select (select count(*) from chunk)::int as facts,
    ${grownDays('added_day')} as grown`;
const BACKFILL = statement<{ facts: number; grown: GrownDay[] }, Backfilling & { factsMax: number }>(byHome(backfill));

interface Backfilling {
  readonly organizationId: OrganizationId;
  readonly key: string;
  readonly boundary: string;
  readonly time: string | null;
  readonly eventId: EventId | null;
  readonly sequence: number | null;
}

const LOCK_BACKFILLING = statement<Backfilling, { organizationId: OrganizationId; key: string }>(`
  select organization_id, key, boundary::text, cursor_time::text as time,
    cursor_event_id as event_id, cursor_sequence as sequence
  from rolled_key where organization_id = :organizationId and key = :key and state = 'backfilling' for update`);

const MARK_READY = statement<object, { organizationId: OrganizationId; key: string }>(
  "update rolled_key set state = 'ready' where organization_id = :organizationId and key = :key and state = 'backfilling'",
);

export interface BackfillStep {
  /** Number of facts rolled up. */
  readonly facts: number;
  readonly isReady: boolean;
}

/** Runs one step; null if the key is not, or no longer, being backfilled. */
export async function backfillKey(
  tx: WriteTransaction,
  { organizationId, key }: { readonly organizationId: OrganizationId; readonly key: string },
  { factsMax, valuesPerDayMax = VALUES_PER_DAY_MAX }: BackfillBounds,
): Promise<BackfillStep | null> {
  const next = await tx.first(LOCK_BACKFILLING, { organizationId, key });
  if (!next) return null;
  const { facts, grown } = await tx.one(BACKFILL, { ...next, factsMax });
  await stopUnboundedKeys(tx, grown, valuesPerDayMax);
  const isReady = facts < factsMax;
  if (isReady) await tx.run(MARK_READY, { organizationId, key });
  return { facts, isReady };
}
