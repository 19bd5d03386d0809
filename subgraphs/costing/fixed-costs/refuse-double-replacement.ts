/** A call can be paid for by one fixed cost only: fixed costs that replace model costs must not have calls and days in common. */
import { fail } from '#kernel/errors.ts';
import type { FixedCostTerms, Period, Scope } from './fixed-cost.ts';

type Replacing = Pick<FixedCostTerms, 'key' | 'name' | 'scope' | 'periods' | 'replacesModelCost'>;

/** Fails with `VALIDATION_ERROR` if another fixed cost replaces the model cost of calls that `terms` would replace, too. */
export function refuseDoubleReplacement(terms: Replacing, existing: readonly Replacing[]): void {
  if (!terms.replacesModelCost) return;
  const other = existing.find(
    (one) =>
      one.key !== terms.key &&
      one.replacesModelCost &&
      periodsOverlap(one.periods, terms.periods) &&
      scopesOverlap(one.scope, terms.scope),
  );
  if (other !== undefined)
    fail(
      'VALIDATION_ERROR',
      `${other.name} (${other.key}) already replaces the model cost of some of these calls on the same days. Narrow the scope or the periods of one of them`,
    );
}

function periodsOverlap(ones: readonly Period[], others: readonly Period[]): boolean {
  const startsBefore = (one: Period, other: Period) => other.untilDay === null || one.fromDay < other.untilDay;
  return ones.some((one) => others.some((other) => startsBefore(one, other) && startsBefore(other, one)));
}

/** True if a call could be in both scopes: their conditions are independent of each other. */
export function scopesOverlap(one: Scope, other: Scope): boolean {
  return (
    anyInCommon(one.models, other.models, patternsOverlap) &&
    anyInCommon(one.endUsers, other.endUsers) &&
    one.dimensions.every(({ key, values }) =>
      anyInCommon(values, other.dimensions.find((condition) => condition.key === key)?.values ?? null),
    )
  );
}

/** Null: no condition. */
function anyInCommon(
  ones: readonly string[] | null,
  others: readonly string[] | null,
  isCommon = (one: string, other: string) => one === other,
): boolean {
  if (ones === null || others === null) return true;
  return ones.some((one) => others.some((other) => isCommon(one, other)));
}

/** Patterns are names in lower case, with `*` at the end for a prefix. */
function patternsOverlap(one: string, other: string): boolean {
  const [first, second] = [one, other].map((pattern) => pattern.replace(/\*$/, ''));
  if (one.endsWith('*') && second!.startsWith(first!)) return true;
  if (other.endsWith('*') && first!.startsWith(second!)) return true;
  return one === other;
}
