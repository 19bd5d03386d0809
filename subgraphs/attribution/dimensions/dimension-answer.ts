/** A dimension as the API returns it. */
import { enumValue } from '#kernel/enum-value.ts';
import type { Dimension as DimensionRow } from './dimension.table.ts';
import type { RollupKeyState } from '../rollups/rollup-key.table.ts';
import type { Dimension } from '../resolvers.generated.ts';
import { rollupKeyOf } from '../measures/rollup-keys.ts';

export function dimensionAnswer(row: DimensionRow, states: ReadonlyMap<string, RollupKeyState>): Dimension {
  const { key, label, registeredAt, retiredAt } = row;
  const state = retiredAt ? 'retired' : toStateView(states.get(rollupKeyOf(key)));
  return {
    key,
    label,
    state: enumValue(state),
    registeredAt,
    retiredAt: retiredAt ?? null,
  };
}

/**
 * Clearing old rows counts as `backfilling`: callers need not distinguish the two. A key without a row has no facts to
 * roll up yet.
 */
function toStateView(state: RollupKeyState | undefined) {
  if (state === undefined || state === 'ready') return 'ready';
  return state === 'unbounded' ? 'unbounded' : 'backfilling';
}
