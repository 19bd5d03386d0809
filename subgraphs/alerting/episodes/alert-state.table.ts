/** State of a rule's evaluation for each of its groups. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { isoMillis } from '#platform/database/iso-sql.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { GroupState } from './next-state.ts';

export const AlertStateTable = defineEntity({
  name: 'AlertState',
  tableName: 'alert_state',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    ruleId: p.uuid().primary(),
    /** Empty for a rule without groups. */
    groupKey: p.text().primary(),
    state: p.enum(['ok', 'pending', 'firing']),
    /** The detection's memory between evaluations, and the parameters it belongs to. */
    counters: p.json<GroupState['counters']>(),
    /** Time up to which figures were judged. */
    judgedThrough: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
  },
});

const STATES = statement(
  ({ organizationIds }: Parameters<{ organizationIds: readonly OrganizationId[] }>) =>
    sql<OwnedState>`select organization_id, rule_id, group_key, state, counters, ${sql.raw(isoMillis('judged_through'))} as judged_through
      from alert_state where organization_id = any(${organizationIds}::uuid[])`,
);

/** The state of one group of one rule of an organization. */
export interface OwnedState extends GroupState {
  readonly organizationId: OrganizationId;
  readonly ruleId: string;
  readonly groupKey: string;
}

/** States of all rules of these organizations. */
export function listStates(tx: WriteTransaction, organizationIds: readonly OrganizationId[]): Promise<OwnedState[]> {
  return tx.all(STATES, { organizationIds });
}

const SAVE_STATES = statement(
  (input: Parameters<{ states: string; now: Date }>) =>
    sql<object>`insert into alert_state (organization_id, rule_id, group_key, state, counters, judged_through, updated_at)
      select organization_id, rule_id, group_key, state, counters, judged_through, ${input.now}
      from jsonb_to_recordset(${input.states}::text::jsonb)
        as saved (organization_id uuid, rule_id uuid, group_key text, state text, counters jsonb, judged_through timestamptz)
      on conflict (organization_id, rule_id, group_key) do update
        set state = excluded.state, counters = excluded.counters, judged_through = excluded.judged_through,
          updated_at = excluded.updated_at`,
);

export async function saveStates(tx: WriteTransaction, states: readonly OwnedState[], now: Date): Promise<void> {
  if (states.length === 0) return;
  const rows = states.map((state) => ({
    organization_id: state.organizationId,
    rule_id: state.ruleId,
    group_key: state.groupKey,
    state: state.state,
    counters: state.counters,
    judged_through: state.judgedThrough,
  }));
  await tx.run(SAVE_STATES, { states: JSON.stringify(rows), now });
}

const DELETE_STATES = statement(
  (input: Parameters<{ organizationId: OrganizationId; ruleId: string }>) =>
    sql<object>`delete from alert_state where organization_id = ${input.organizationId} and rule_id = ${input.ruleId}`,
);

/** Deletes the states of a rule that is no longer evaluated, or starts over. */
export async function deleteStates(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ruleId: string,
): Promise<void> {
  await tx.run(DELETE_STATES, { organizationId, ruleId });
}
