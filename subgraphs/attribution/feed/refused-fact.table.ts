/**
 * Facts that the database rejected. They do not delay other facts. Until they are stored, they are missing from the
 * organization's figures.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { now } from '#platform/clock.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const RefusedFactTable = defineEntity({
  name: 'RefusedFact',
  tableName: 'refused_fact',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Event and sequence of a fact, or the id of an end user. */
    id: p.text().primary(),
    /** As received, stored as text, because the database may not accept rejected data as JSON. */
    body: p.text(),
    reason: p.text(),
    refusedAt: p.datetime(3),
  },
});

export interface Refusal {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly item: object;
  readonly reason: string;
}

const RECORD_REFUSAL = statement<
  object,
  { organizationId: OrganizationId; id: string; body: string; reason: string; refusedAt: Date }
>(`
  insert into refused_fact (organization_id, id, body, reason, refused_at)
  values (:organizationId, :id, :body, :reason, :refusedAt)
  on conflict (organization_id, id) do update set body = excluded.body, reason = excluded.reason`);

export async function recordRefusal(
  tx: WriteTransaction,
  { organizationId, id, item, reason }: Refusal,
): Promise<void> {
  // JSON escapes invalid Unicode and null characters.
  const body = JSON.stringify(item);
  await tx.run(RECORD_REFUSAL, { organizationId, id, body, reason: reason.replaceAll('\0', ''), refusedAt: now() });
}

const FORGET_REFUSALS = statement<object, { readonly organizationId: OrganizationId; readonly ids: readonly string[] }>(
  'delete from refused_fact where organization_id = :organizationId and id = any(:ids::text[])',
);

/** Deletes the refusals of these facts and end users, which are written now. */
export async function forgetRefusals(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(FORGET_REFUSALS, { organizationId, ids });
}

const HAS_REFUSALS = statement<object, { readonly organizationId: OrganizationId }>(
  'select 1 from refused_fact where organization_id = :organizationId limit 1',
);

/** True if any fact or end user of the organization was set aside. */
export async function hasRefusals(tx: WriteTransaction, organizationId: OrganizationId): Promise<boolean> {
  return (await tx.first(HAS_REFUSALS, { organizationId })) !== null;
}

const COUNT_OWN_REFUSALS = statement<{ count: number }, { readonly organizationId: OrganizationId }>(
  'select count(*)::float8 as count from refused_fact where organization_id = :organizationId',
);

/** Number of refused facts of the caller's organization. */
export async function countOwnRefusals(tx: Transaction, organizationId: OrganizationId): Promise<number> {
  const { count } = await tx.one(COUNT_OWN_REFUSALS, { organizationId });
  return count;
}

const COUNT_REFUSALS = statement<{ count: number }, { readonly organizationId: OrganizationId | null }>(
  'select count(*)::float8 as count from refused_fact where :organizationId::uuid is null or organization_id = :organizationId',
);

/** Number of refused facts of one organization, or of all. */
export async function countRefusals(tx: WriteTransaction, organizationId: OrganizationId | null): Promise<number> {
  const { count } = await tx.one(COUNT_REFUSALS, { organizationId });
  return count;
}
