/** What is told of a dimension. */
import type { Dimension as DimensionRow } from './dimension.table.ts';
import type { RollupKeyState } from '../rollups/rollup-key.table.ts';
import type { Dimension } from '../resolvers.generated.ts';
import { rollupKeyOf } from '../measures/rollup-keys.ts';

export function dimensionAnswer(row: DimensionRow, states: ReadonlyMap<string, RollupKeyState>): Dimension {
  const { key, label, registeredAt, retiredAt } = row;
  return {
    key,
    label,
    state: retiredAt ? 'retired' : toStateView(states.get(rollupKeyOf(key))),
    registeredAt,
    retiredAt: retiredAt ?? null,
  };
}

/**
 * No one outside has to know that old rows are deleted before the backfill. A key without a row has no facts to roll up
 * yet.
 */
function toStateView(state: RollupKeyState | undefined): string {
  if (state === undefined || state === 'ready') return 'ready';
  return state === 'unbounded' ? 'unbounded' : 'backfilling';
}
