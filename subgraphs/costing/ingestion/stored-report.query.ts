/** Reads the stored data of an event that is reported again. */
import type { OrganizationId } from '#kernel/ids.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import {
  PRICEABLE_COLUMNS,
  type PriceableEvent,
  type PriceableRow,
  toPriceableEvent,
} from '../pricing/priceable-event.query.ts';

export interface StoredReport extends PriceableEvent {
  readonly receivedAtMs: number;
}

const read = (lock: '' | 'for no key update of e') =>
  statement<
    PriceableRow & { receivedAt: string },
    { readonly organizationId: OrganizationId; readonly ids: readonly string[] }
  >(`
    select ${PRICEABLE_COLUMNS}, ${isoMicros('e.received_at')} as received_at
    from usage_event e where e.organization_id = :organizationId and e.id = any(:ids::uuid[]) order by e.id ${lock}`);
const READ = read('');
const HOLD = read('for no key update of e');

/** Stored reports by id, locked: no other report replaces their counts until the transaction ends. */
export async function readStoredReports(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
  { isHeld }: { readonly isHeld: boolean },
): Promise<Map<string, StoredReport>> {
  const rows = await tx.all(isHeld ? HOLD : READ, { organizationId, ids });
  return new Map(
    rows.map(({ receivedAt, ...row }) => [row.id, { ...toPriceableEvent(row), receivedAtMs: Date.parse(receivedAt) }]),
  );
}
