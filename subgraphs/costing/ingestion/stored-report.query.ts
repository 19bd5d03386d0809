/** Reads the stored data of an event that is reported again. */
import { isoMicros } from '#platform/database/iso-sql.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { query } from '#platform/database/sql.ts';
import {
  PRICEABLE_COLUMNS,
  type PriceableEvent,
  type PriceableRow,
  toPriceableEvent,
} from '../pricing/priceable-event.query.ts';

export interface StoredReport extends PriceableEvent {
  readonly receivedAtMs: number;
}

const READ = (lock: '' | 'for no key update of e') => `
  select ${PRICEABLE_COLUMNS}, ${isoMicros('e.received_at')} as received_at
  from usage_event e where e.organization_id = $1 and e.id = any($2::uuid[]) order by e.id ${lock}`;

/** By id. Locked: no other later report replaces their counts until the transaction ends. */
export async function readStoredReports(
  tx: WriteTransaction,
  organizationId: string,
  ids: readonly string[],
  { isHeld }: { readonly isHeld: boolean },
): Promise<Map<string, StoredReport>> {
  const rows = await query<PriceableRow & { receivedAt: string }>(tx, READ(isHeld ? 'for no key update of e' : ''), [
    organizationId,
    ids,
  ]);
  return new Map(
    rows.map(({ receivedAt, ...row }) => [row.id, { ...toPriceableEvent(row), receivedAtMs: Date.parse(receivedAt) }]),
  );
}
