/**
 * Usage events as accepted. A row changes in two cases only: an erasure or the metadata retention removes data from it,
 * or a later report of the same call replaces its counts (decision 76). The queue, the waiting list and the ledger
 * store the state of processing.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { rowById } from '#platform/database/row-by-id.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { byTokens, isRequired } from '#schema/token-classes.ts';

const reported = () => p.bigint();
const reportedOrNull = () => p.bigint().nullable();
/** Tokens by class: null means not reported, 0 means zero tokens. */
const tokenColumns = byTokens<ReturnType<typeof reported>, ReturnType<typeof reportedOrNull>>((name) =>
  isRequired(name) ? reported() : reportedOrNull(),
);

export const UsageEventTable = defineEntity({
  name: 'UsageEvent',
  tableName: 'usage_event',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    livemode: p.boolean(),
    idempotencyKey: p.text(),
    accountUserId: p.uuid(),
    /** The API key that sent the event; null for events stored before keys were recorded. */
    apiKeyId: p.uuid().nullable(),
    model: p.text(),
    provider: p.text().nullable(),
    endUserExternalId: p.text().nullable(),
    ...tokenColumns,
    eventTime: p.datetime(6),
    receivedAt: p.datetime(6),
    costOverride: p.decimal().precision(30).scale(15).nullable(),
    experimentId: p.text().nullable(),
    variant: p.text().nullable(),
    sessionId: p.text().nullable(),
    sessionType: p.text().nullable(),
    spanId: p.text().nullable(),
    parentSpanId: p.text().nullable(),
    feature: p.text().nullable(),
    agentId: p.text().nullable(),
    workflowId: p.text().nullable(),
    units: p.decimal().precision(30).scale(15).nullable(),
    /** Exactly as sent; not `jsonb`, which would reorder keys and rewrite numbers. */
    metadata: p.json<unknown>().columnType('json').nullable(),
    /** The parts of a provider's usage object at its top level: counts and names, as kept by `provider-usage.ts`. */
    providerUsage: p.json<unknown>().columnType('json').nullable(),
    /** True if a credit was spent on the event. */
    charged: p.boolean(),
    /** Time at which personal data or metadata was last removed from the event. */
    reducedAt: p.datetime(3).nullable(),
    /** Time at which a later report of the same call last replaced the counts. */
    revisedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'usage_event_key_unique', properties: ['organizationId', 'livemode', 'idempotencyKey'] }],
  indexes: [
    {
      name: 'usage_event_time_index',
      expression:
        'create index usage_event_time_index on usage_event (organization_id, event_time desc, id) where livemode',
    },
    {
      name: 'usage_event_test_index',
      expression: 'create index usage_event_test_index on usage_event (organization_id, id) where not livemode',
    },
    {
      name: 'usage_event_end_user_index',
      expression:
        'create index usage_event_end_user_index on usage_event ' +
        '(organization_id, end_user_external_id, event_time desc, id) where livemode and end_user_external_id is not null',
    },
  ],
});

const db = tables<typeof UsageEventTable>();

const FIND_IDS_BY_KEY = statement(
  (input: Parameters<{ organizationId: OrganizationId; livemode: boolean; keys: readonly string[] }>) =>
    db
      .selectFrom('usageEvent')
      .select(['idempotencyKey', 'id'])
      .where('organizationId', '=', input.organizationId)
      .where('livemode', '=', input.livemode)
      .where('idempotencyKey', '=', sql<string>`any(${input.keys}::text[])`),
);

/**
 * Ids of the events with these idempotency keys, by key. A separate statement, so that it sees rows others have
 * committed since.
 */
export async function findIdsByKey(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  livemode: boolean,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.all(FIND_IDS_BY_KEY, { organizationId, livemode, keys });
  return new Map(rows.map(({ idempotencyKey: key, id }) => [key, id]));
}

const REMOVE_UNCOVERED_EVENTS = statement(
  ({ organizationId, ids }: Parameters<{ organizationId: OrganizationId; ids: readonly string[] }>) =>
    db
      .deleteFrom('usageEvent')
      .where('organizationId', '=', organizationId)
      .where('id', '=', sql<string>`any(${ids}::uuid[])`),
);

/**
 * Removes events that credits do not cover. Only for rows of the current transaction, which no other transaction has
 * seen.
 */
export async function removeUncoveredEvents(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<void> {
  await tx.run(REMOVE_UNCOVERED_EVENTS, { organizationId, ids });
}

const READ_METADATA_BYTES = statement<
  { id: string; bytes: number },
  { organizationId: OrganizationId; ids: readonly string[] }
>(`
  select e.id, octet_length(e.metadata::text) as bytes from unnest(:ids::uuid[]) as wanted (id)
  cross join lateral ${rowById('usage_event', ':organizationId', 'wanted.id')} as e
  where e.metadata is not null`);

/** Bytes of metadata by id, for events that have metadata. */
export async function readMetadataBytes(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx.all(READ_METADATA_BYTES, { organizationId, ids });
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}
