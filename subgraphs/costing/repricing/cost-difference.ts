/** The difference between two costs of one event, class by class, as appended by a correction. */
import { type Money, plain, sum, ZERO } from '#kernel/money.ts';
import type { ChargeLine } from '#schema/priced-feed.ts';
import { byClass, COUNTED_CLASSES, wireName } from '#schema/token-classes.ts';
import { type CostEntryLine, printExplanation, type ReplacedCounts } from '../ledger/cost-entry-explanation.ts';
import type { CostParts } from '../ledger/cost-parts.ts';

/** `after` minus `before`. A class that is null in both stays null. */
export function costDifference(before: CostParts, after: CostParts): CostParts {
  const difference = (from: Money | null, to: Money | null) =>
    from === null && to === null ? null : (to ?? ZERO).minus(from ?? ZERO);
  return {
    total: after.total.minus(before.total),
    ...byClass<Money, Money | null>((name) => difference(before[name], after[name])),
  };
}

export function oppositeOf(parts: CostParts): CostParts {
  const opposite = (amount: Money | null) => amount?.negated() ?? null;
  return { total: parts.total.negated(), ...byClass<Money, Money | null>((name) => opposite(parts[name])) };
}

/** True if every part is null or zero. */
export function isNoDifference(parts: CostParts): boolean {
  return Object.values(parts).every((amount: Money | null) => amount === null || amount.isZero());
}

/**
 * Explanation lines of differences: they have no quantity or rate. An amount not explained by any class is in
 * `units`. `charges` are the differences by every class.
 */
export function explainDifference(
  parts: CostParts,
  charges: readonly ChargeLine[],
  reading: string | null,
  counts?: ReplacedCounts,
): string {
  const classes = COUNTED_CLASSES.map((name) => [wireName(name), parts[name]] as const);
  const units = parts.total.minus(sum(classes.flatMap(([, amount]) => amount ?? [])));
  const tokenLines = classes.flatMap(([name, amount]) => line(name, amount, 1_000_000));
  return printExplanation({
    ...(reading === null ? {} : { reading }),
    lines: [...tokenLines, ...line('units', units, 1)],
    charges,
    ...(counts === undefined ? {} : { counts }),
  });
}

function line(name: string, amount: Money | null, per: 1 | 1_000_000): CostEntryLine[] {
  return amount === null || amount.isZero() ? [] : [[name, null, null, per, plain(amount)]];
}
