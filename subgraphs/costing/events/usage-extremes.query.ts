/** When the first and the last live event of a span occurred: two looks into the index. */
import { queryOne, type Transaction } from '../../../platform/database/sql.ts';
import type { DateRange } from '../../../kernel/time/date-range.ts';

export interface UsageExtremes {
  /** ISO 8601 UTC with six digits of fraction; null without events. */
  readonly firstEventAt: string | null;
  readonly lastEventAt: string | null;
}

export async function findUsageExtremes(
  tx: Transaction, organizationId: string, { start, end }: DateRange,
): Promise<UsageExtremes> {
  const edge = (order: 'asc' | 'desc'): string => `
    (select to_char(event_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') from usage_event
     where organization_id = $1 and livemode and event_time >= $2 and event_time < $3
     order by usage_event.event_time ${order} limit 1)`;
  const text = `select ${edge('asc')} as "firstEventAt", ${edge('desc')} as "lastEventAt"`;
  return queryOne(tx, text, [organizationId, start, end]);
}
