/** Reads stored events with all fields that pricing, the ledger and the feed need. */
import type { OrganizationId } from '#kernel/ids.ts';
import { parseExactJson } from '#kernel/json/exact-json.ts';
import { millisecondsOfPrinted } from '#kernel/time/instant.ts';
import { columnsOf, selectList } from '#platform/database/columns.ts';
import { rowById } from '#platform/database/row-by-id.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { mapInSlices } from '#platform/slices.ts';
import { type OfOrganization, organizationParameter } from '#platform/database/nodes/organization-rows.ts';
import { statement } from '#platform/database/statement.ts';
import type { Attribution } from '../events/event-dimensions.ts';
import { UsageEventTable } from '../events/usage-event.table.ts';
import { otherModelsOf } from '#usage/counts/iterations.ts';
import type { PriceableUsage } from './price-usage.ts';

export interface PriceableEvent extends PriceableUsage, Attribution {
  readonly id: string;
  readonly livemode: boolean;
  readonly model: string;
  readonly provider: string | null;
  readonly endUserExternalId: string | null;
  /** ISO 8601 UTC with six fraction digits. */
  readonly eventTime: string;
  readonly eventTimeMs: number;
  readonly sessionId: string | null;
  readonly spanId: string | null;
  readonly parentSpanId: string | null;
  /** Time at which data was last removed from the event after it was accepted. */
  readonly reducedAt?: string | null;
  /** Time at which a later report last replaced the event's counts. */
  readonly revisedAt?: string | null;
}

/** Fields that only ingestion needs. */
const UNPRICED = ['organizationId', 'idempotencyKey', 'accountUserId', 'receivedAt', 'charged'];

/** Columns of `usage_event` (as `e`) for `toPriceableEvent`. */
export const PRICEABLE_COLUMNS = selectList(
  columnsOf(UsageEventTable).filter(({ property }) => !UNPRICED.includes(property)),
  'e',
);

/** An event as returned by a query of these columns. */
export type PriceableRow = Omit<PriceableEvent, 'eventTimeMs' | 'metadata' | 'providerUsage'> & {
  readonly metadata: string | null;
  readonly providerUsage: string | null;
};

const byId = (wanted: string, organization: string) =>
  statement<
    PriceableRow & { readonly organizationId: OrganizationId },
    { readonly organization: string | readonly string[]; readonly ids: readonly string[] }
  >(`
    select ${PRICEABLE_COLUMNS}, ${organization} as "organizationId"
    from ${wanted}
    cross join lateral ${rowById('usage_event', organization, 'wanted.id')} as e`);
const BY_ID = byId('unnest(:ids::uuid[]) as wanted (id)', ':organization');
const BY_ORGANIZATION_AND_ID = byId(
  'unnest(:organization::uuid[], :ids::uuid[]) as wanted (organization_id, id)',
  'wanted.organization_id',
);

export async function readPriceableEvents(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<PriceableEvent[]> {
  return [...((await readPriceableEventsOf(tx, [{ organizationId, items: ids }])).get(organizationId) ?? [])];
}

/** Events by organization; `items` are ids. */
export async function readPriceableEventsOf(
  tx: WriteTransaction,
  wanted: readonly OfOrganization<string>[],
): Promise<ReadonlyMap<string, readonly PriceableEvent[]>> {
  const rows = await tx.all(wanted.length === 1 ? BY_ID : BY_ORGANIZATION_AND_ID, {
    organization: organizationParameter(wanted),
    ids: wanted.flatMap(({ items }) => items),
  });
  const events = await mapInSlices(rows, toPriceableEvent);
  return Map.groupBy(events, (_, index) => rows[index]!.organizationId);
}

/** Turns the row itself into the event, without a copy: thousands of rows are in memory at a time. */
export function toPriceableEvent(row: PriceableRow): PriceableEvent {
  const { metadata, providerUsage } = row;
  const event = row as unknown as Writable<PriceableEvent>;
  event.eventTimeMs = millisecondsOfPrinted(row.eventTime);
  event.metadata = objectOf(metadata);
  event.providerUsage = objectOf(providerUsage);
  const otherModels = otherModelsOf(event);
  if (otherModels !== undefined) event.otherModels = otherModels;
  return event;
}

type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

function objectOf(json: string | null): Record<string, unknown> | null {
  return json === null ? null : (parseExactJson(json) as Record<string, unknown>);
}
