/** Reads events in the order of receipt, with their status, cost and token convention. */
import type { ApiKeyId, OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import { isoMicros } from '#platform/database/iso-sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { Placeholder } from '#platform/database/tables.ts';
import type { StoredAttribution } from '../../events/read-metadata.ts';

export interface ReceivedEventRow extends StoredAttribution {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly livemode: boolean;
  readonly model: string;
  readonly endUserExternalId: string | null;
  readonly sessionId: string | null;
  readonly sessionType: string | null;
  readonly spanId: string | null;
  readonly parentSpanId: string | null;
  readonly apiKeyId: ApiKeyId | null;
  /** Slugs of the card that priced it and of its provider; null until it has a cost. */
  readonly modelSlug: string | null;
  readonly providerSlug: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** ISO 8601 UTC. */
  readonly eventTimeIso: string;
  readonly receivedAtIso: string;
  /** `completed`, `pending_rate_card`, `failed` or `pending`. */
  readonly status: 'completed' | 'failed' | 'pending' | 'pending_rate_card';
  readonly totalCost: string | null;
  readonly reading: string | null;
  readonly reason: string | null;
}

/** An event in a list: with all fields, with the contract's fields, or with its id only. */
export interface UsageEventSource {
  readonly id: string;
  readonly row?: ReceivedEventRow;
  readonly page?: { readonly eventTimestamp: string; readonly quantity: number; readonly metadata: unknown };
}

/**
 * Each table has its own organization filter: on several nodes, the coordinator needs it to send the statement to one
 * node.
 */
const selected = (organizationId: Placeholder<string>) => sql`
  select event.id, event.idempotency_key, event.livemode, event.model, event.provider, event.end_user_external_id, event.session_id,
    event.session_type, event.span_id, event.parent_span_id, event.api_key_id, cost.model_slug, cost.provider_slug,
    event.feature, event.agent_id, event.workflow_id, trim_scale(event.units)::text as units,
    event.input_tokens::float8, event.output_tokens::float8, event.metadata::text as metadata_json,
    ${sql.raw(isoMicros('event.event_time'))} as event_time_iso, ${sql.raw(isoMicros('event.received_at'))} as received_at_iso,
    case when cost.total_cost is not null then 'completed' else coalesce(unpriced.status, 'pending') end as status,
    cost.total_cost::text, cost.reading, unpriced.reason
  from usage_event as event
  left join lateral (
    select sum(total_cost) as total_cost, (array_agg(reading order by sequence desc) filter (where reading is not null))[1] as reading,
      max(model_slug) filter (where sequence = 0) as model_slug, max(provider_slug) filter (where sequence = 0) as provider_slug
    from cost_entry where organization_id = ${organizationId} and event_id = event.id
  ) as cost on true
  left join unpriced_event as unpriced on unpriced.organization_id = ${organizationId} and unpriced.event_id = event.id`;

interface Page {
  readonly organizationId: OrganizationId;
  readonly livemode: boolean;
  readonly limit: number;
}

const NEWEST = statement(
  (input: Parameters<Page>) => sql<ReceivedEventRow>`${selected(input.organizationId)}
    where event.organization_id = ${input.organizationId} and event.livemode = ${input.livemode}
    order by event.id desc limit ${input.limit}`,
);

const BEFORE = statement(
  (input: Parameters<Page & { before: string }>) => sql<ReceivedEventRow>`${selected(input.organizationId)}
    where event.organization_id = ${input.organizationId} and event.livemode = ${input.livemode} and event.id < ${input.before}
    order by event.id desc limit ${input.limit}`,
);

const AFTER = statement(
  (input: Parameters<Page & { after: string }>) => sql<ReceivedEventRow>`${selected(input.organizationId)}
    where event.organization_id = ${input.organizationId} and event.livemode = ${input.livemode} and event.id > ${input.after}
    order by event.id limit ${input.limit}`,
);

const OF_KEY = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; livemode: boolean; idempotencyKey: string }>,
  ) => sql<ReceivedEventRow>`${selected(input.organizationId)}
    where event.organization_id = ${input.organizationId} and event.livemode = ${input.livemode}
      and event.idempotency_key = ${input.idempotencyKey}`,
  { isPointRead: true },
);

const BY_IDS = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; ids: readonly string[] }>,
  ) => sql<ReceivedEventRow>`${selected(input.organizationId)}
    where event.organization_id = ${input.organizationId} and event.id = any(${input.ids}::uuid[])`,
);

/** Received events with these ids, in no particular order; unknown ids are left out. */
export function receivedEventsByIds(
  tx: Transaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<ReceivedEventRow[]> {
  return ids.length === 0 ? Promise.resolve([]) : tx.all(BY_IDS, { organizationId, ids });
}

/** Events that follow the event `from` in the given order; without `from`, the first events. */
export function receivedEvents(
  tx: Transaction,
  page: Page,
  { order, from }: { readonly order: 'newest-first' | 'oldest-first'; readonly from: string | null },
): Promise<ReceivedEventRow[]> {
  if (from === null) return tx.all(NEWEST, page);
  return order === 'newest-first' ? tx.all(BEFORE, { ...page, before: from }) : tx.all(AFTER, { ...page, after: from });
}

export async function receivedEventOfKey(
  tx: Transaction,
  input: { readonly organizationId: OrganizationId; readonly livemode: boolean; readonly idempotencyKey: string },
): Promise<ReceivedEventRow | null> {
  return (await tx.all(OF_KEY, input))[0] ?? null;
}
