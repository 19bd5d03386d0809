/**
 * The organization's choice for contexts without a price on the rate card: events wait, or are priced at base rates
 * (decision 43).
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const ContextPolicyTable = defineEntity({
  name: 'ContextPolicy',
  tableName: 'context_policy',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    unknownContext: p.enum(['wait', 'base']),
    changedAt: p.datetime(3),
  },
});

export type UnknownContextChoice = 'wait' | 'base';

interface ContextPolicyRow {
  readonly unknownContext: UnknownContextChoice;
  readonly changedAt: string;
}

const FIND_CONTEXT_POLICY = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<ContextPolicyRow>`
    select unknown_context, changed_at::text from context_policy where organization_id = ${organizationId}`,
  { isPointRead: true },
);

/** Null if the organization never chose: events then wait. */
export function findContextPolicy(tx: Transaction, organizationId: OrganizationId): Promise<ContextPolicyRow | null> {
  return tx.first(FIND_CONTEXT_POLICY, { organizationId });
}

const SAVE_CONTEXT_POLICY = statement(
  (input: Parameters<{ organizationId: OrganizationId; choice: UnknownContextChoice; at: Date }>) => sql<object>`
    insert into context_policy (organization_id, unknown_context, changed_at)
    values (${input.organizationId}, ${input.choice}, ${input.at})
    on conflict (organization_id) do update set unknown_context = excluded.unknown_context, changed_at = excluded.changed_at`,
);

export async function saveContextPolicy(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  choice: UnknownContextChoice,
  at: Date,
): Promise<void> {
  await tx.run(SAVE_CONTEXT_POLICY, { organizationId, choice, at });
}
