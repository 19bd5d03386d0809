/** Metadata keys of the latest facts. */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { Transaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';

export interface SeenKey {
  readonly key: string;
  readonly events: number;
  /** Distinct values among these events. */
  readonly distinctValues: number;
  readonly exampleValue: string;
}

const LIST_SEEN_KEYS = statement(
  ({
    organizationId,
    eventsMax,
    keysMax,
  }: Parameters<{ organizationId: OrganizationId; eventsMax: number; keysMax: number }>) =>
    sql<SeenKey>`
    select pair.key, count(*)::float8 as events, count(distinct pair.value)::float8 as distinct_values, max(pair.value) as example_value
    from (select dimensions from cost_fact where organization_id = ${organizationId} and sequence = 0
          order by event_time desc limit ${eventsMax}) fact, jsonb_each_text(fact.dimensions) pair
    group by 1 order by 2 desc, 1 limit ${keysMax}`,
);

/** Keys of the latest `eventsMax` events, the most frequent first. */
export function listSeenKeys(
  tx: Transaction,
  organizationId: OrganizationId,
  bounds: { readonly eventsMax: number; readonly keysMax: number },
): Promise<SeenKey[]> {
  return tx.all(LIST_SEEN_KEYS, { organizationId, ...bounds });
}
