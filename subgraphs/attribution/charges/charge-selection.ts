/** Filter and grouping of charges. */
import { type CostSelection, parseSelection, type SelectedKey } from '../selections/cost-selection.ts';
import type { ChargeFilter, ChargeKey } from '../resolvers.generated.ts';

export interface ChargeSelection {
  /** Selection and grouping by end user or agent, which the sums by day do not distinguish. */
  readonly costs: CostSelection;
  readonly conditions: readonly { readonly column: string; readonly value: string }[];
}

export interface ChargeInput {
  readonly filter?: ChargeFilter | null | undefined;
  readonly by?: ChargeKey | null | undefined;
}

/** Fails with `VALIDATION_ERROR`. */
export function parseChargeSelection({ filter, by }: ChargeInput): ChargeSelection {
  const { endUser, endUserId, agent, provider, model, context, chargeClass, unit } = filter ?? {};
  const columns = { provider, model, context, charge_class: chargeClass, unit };
  return {
    costs: parseSelection({ filter: { endUser, endUserId, agent }, keys: by ? [by] : [] }),
    conditions: Object.entries(columns).flatMap(([column, value]) =>
      typeof value === 'string' ? [{ column, value }] : [],
    ),
  };
}

/** True if the organization's sums by day are enough. */
export function isRolledUp({ costs: { endUser, conditions, groups } }: ChargeSelection): boolean {
  return endUser === null && conditions.length === 0 && groups.length === 0;
}

/** The additional grouping, if any. */
export function groupOf({ costs: { groups } }: ChargeSelection): SelectedKey | null {
  return groups[0] ?? null;
}
