/** What is stored of an event that is reported again, and replacing its counts by those of the later report. */
import { byTokens, COUNTED_CLASSES, tokensOf, wireName } from '../../../../schema/token-classes.ts';
import { printExactJson } from '../../../../kernel/exact-json.ts';
import { isoMicros } from '../../../../platform/database/iso-sql.ts';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { query } from '../../../../platform/database/sql.ts';
import {
  PRICEABLE_COLUMNS,
  type PriceableEvent,
  type PriceableRow,
  toPriceableEvent,
} from '../../pricing/priceable-event.query.ts';

export interface StoredReport extends PriceableEvent {
  readonly receivedAtMs: number;
}

const READ = (lock: '' | 'for no key update of e') => `
  select ${PRICEABLE_COLUMNS}, ${isoMicros('e.received_at')} as received_at
  from usage_event e where e.organization_id = $1 and e.id = any($2::uuid[]) order by e.id ${lock}`;

/** By id. Held: no other later report replaces their counts until the transaction ends. */
export async function readStoredReports(
  em: EntityManager,
  organizationId: string,
  ids: readonly string[],
  { isHeld }: { readonly isHeld: boolean },
): Promise<Map<string, StoredReport>> {
  const rows = await query<PriceableRow & { receivedAt: string }>(em, READ(isHeld ? 'for no key update of e' : ''), [
    organizationId,
    ids,
  ]);
  return new Map(
    rows.map(({ receivedAt, ...row }) => [row.id, { ...toPriceableEvent(row), receivedAtMs: Date.parse(receivedAt) }]),
  );
}

const TOKENS = COUNTED_CLASSES.map((name) => ({ property: tokensOf(name), column: wireName(tokensOf(name)) }));

const SAVE = `
  update usage_event e set ${TOKENS.map(({ property, column }) => `${column} = item."${property}"`).join(', ')},
    units = item.units, cost_override = item."costOverride", provider_usage = item."providerUsage"::json,
    metadata = item.metadata::json, revised_at = $3
  from json_to_recordset($2::json) as item (
    id uuid, ${TOKENS.map(({ property }) => `"${property}" bigint`).join(', ')}, units numeric, "costOverride" numeric,
    "providerUsage" text, metadata text)
  where e.organization_id = $1 and e.id = item.id`;

export async function saveCounts(
  em: EntityManager,
  organizationId: string,
  events: readonly PriceableEvent[],
  at: Date,
): Promise<void> {
  const text = (value: unknown) => (value === null ? null : printExactJson(value));
  const items = events.map((event) => ({
    id: event.id,
    ...byTokens<number, number | null>((name) => event[tokensOf(name)]),
    units: event.units,
    costOverride: event.costOverride,
    providerUsage: text(event.providerUsage),
    metadata: text(event.metadata),
  }));
  await query(em, SAVE, [organizationId, JSON.stringify(items), at]);
}
