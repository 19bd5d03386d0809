/** Reads single holds, and pages of holds. */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { HOLDS_SCANNED_MAX } from '../config.ts';
import type { HoldState, SpendReason } from './hold.table.ts';

/** A hold as it is listed. `cost`: the current cost of the event that settled the hold. */
export interface HoldRow {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly endUser: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly amount: string;
  readonly state: HoldState;
  readonly because: SpendReason;
  readonly openedAt: string;
  readonly expiresAt: string;
  readonly closedAt: string | null;
  readonly eventId: EventId | null;
  readonly cost: string | null;
}

/** A hold whose time has passed counts as expired, even before the job has closed it. */
const STATE = "case when h.state = 'open' and h.expires_at <= now() then 'expired' else h.state end";
const HOLD_COLUMNS = `h.id, h.idempotency_key, h.end_user_external_id as end_user, h.agent_id as agent, h.model,
    trim_scale(h.amount)::text as amount, ${STATE} as state, h.because,
    ${isoMillis('h.opened_at')} as opened_at, ${isoMillis('h.expires_at')} as expires_at, ${isoMillis('h.closed_at')} as closed_at, h.event_id,
    (select trim_scale(sum(c.total_cost))::text from cost_entry c where c.organization_id = :organizationId and c.event_id = h.event_id) as cost`;

interface HoldPageInput {
  readonly organizationId: OrganizationId;
  readonly state: HoldState | null;
  readonly endUser: string | null;
  readonly limit: number;
  readonly before: string | null;
}

interface HoldPage {
  /** The holds of the page, at most `limit`. */
  readonly rows: readonly HoldRow[];
  /** Id after which the next page begins; null if this is the last page. */
  readonly next: string | null;
}

const pageBy = (endUser: string) => {
  const candidates = `
    select * from hold where organization_id = :organizationId and (:before::uuid is null or id < :before) and ${endUser}
    order by id desc`;
  return {
    rows: statement<HoldRow, HoldPageInput>(`
      select ${HOLD_COLUMNS} from (${candidates} limit ${HOLDS_SCANNED_MAX}) as h
      where :state::text is null or ${STATE} = :state
      order by h.id desc limit :limit + 1`),
    lastScanned: statement<{ id: string }, HoldPageInput>(`
      select h.id from (${candidates} limit 1 offset ${HOLDS_SCANNED_MAX - 1}) as h`),
  };
};
const OF_ALL = pageBy('true');
const OF_END_USER = pageBy('end_user_external_id = :endUser');

/** Newest first. A page ends after a maximum number of scanned holds, and the next one continues after them. */
export async function holdPage(tx: Transaction, input: HoldPageInput): Promise<HoldPage> {
  const page = input.endUser === null ? OF_ALL : OF_END_USER;
  const rows = await tx.all(page.rows, input);
  if (rows.length > input.limit) return { rows: rows.slice(0, -1), next: rows[input.limit - 1]!.id };
  const last = await tx.first(page.lastScanned, input);
  return { rows, next: last?.id ?? null };
}

const FIND_HOLD = statement<HoldRow, { readonly organizationId: OrganizationId; readonly id: string }>(
  `select ${HOLD_COLUMNS} from hold h where h.organization_id = :organizationId and h.id = :id`,
);

export function findHold(tx: Transaction, organizationId: OrganizationId, id: string): Promise<HoldRow | null> {
  return tx.first(FIND_HOLD, { organizationId, id });
}
