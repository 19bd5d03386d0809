/** Filter and grouping of charges. */
import { type CostSelection, parseSelection, type SelectedKey } from '../selections/cost-selection.ts';
import type { ChargeFilter, ChargeKey } from '../resolvers.generated.ts';

export interface ChargeSelection {
  /** The end user or agent. Charges by day are not rolled up by them. */
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

/** True if the sums by day of the organization have everything that is selected. */
export function isRolledUp({ costs: { endUser, conditions, groups } }: ChargeSelection): boolean {
  return endUser === null && conditions.length === 0 && groups.length === 0;
}

/** What the charges are grouped by besides their own keys; null if nothing. */
export function groupOf({ costs: { groups } }: ChargeSelection): SelectedKey | null {
  return groups[0] ?? null;
}
