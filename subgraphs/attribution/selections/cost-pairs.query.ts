/** Pairs of keys that an organization has rolled up, from `rolled_key`. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import { PAIR_MARK_SQL, pairOf } from '../measures/rollup-keys.ts';
import type { RollupKeyState } from '../rollups/rollup-key.table.ts';
import type { CostPair } from '../resolvers.generated.ts';

interface PairRow {
  readonly key: string;
  readonly state: RollupKeyState;
}

const LIST_PAIRS = statement<PairRow, { readonly organizationId: OrganizationId }>(
  `select key, state from rolled_key where organization_id = :organizationId and key ^@ ${PAIR_MARK_SQL} and state <> 'retired' order by key for update`,
);

/**
 * Pairs that are wanted. Their rows are locked until the transaction ends, so that concurrent changes see each other.
 */
export async function listPairs(tx: WriteTransaction, organizationId: OrganizationId): Promise<PairRow[]> {
  return tx.all(LIST_PAIRS, { organizationId });
}

export function toCostPairView({ key, state }: PairRow): CostPair {
  const stateView = state === 'clearing' ? 'backfilling' : state;
  return { keys: [...(pairOf(key) ?? [])], state: stateView.toUpperCase() as CostPair['state'] };
}
