/** Costs of providers' models on a day, and the selection of them that a credit or a commitment names. */
import type { Amount } from '#kernel/money.ts';

/** The cost of a model on a day, for one class. */
export interface CostCell {
  readonly provider: string;
  /** In lower case. */
  readonly model: string;
  readonly chargeClass: string;
  readonly cost: Amount;
}

export interface CostDay {
  /** `2026-10-01` */
  readonly day: string;
  readonly cells: readonly CostCell[];
}

export interface CostSelection {
  readonly providerSlug: string;
  /** In lower case, with `*` at the end for a prefix; null: all. */
  readonly models: readonly string[] | null;
  /** Token classes as named on the wire, or names of unit prices; null: all. */
  readonly classes: readonly string[] | null;
}

/** True if a credit or a commitment with this selection applies to the cost. */
export function isSelected(
  { providerSlug, models, classes }: CostSelection,
  { provider, model, chargeClass }: CostCell,
): boolean {
  return (
    provider === providerSlug &&
    (classes === null || classes.includes(chargeClass)) &&
    (models === null ||
      models.some((name) => (name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : name === model)))
  );
}
