/** A compared day as shown. Amounts are the exact text. */
import { plain } from '#kernel/money.ts';
import { wireName } from '#schema/token-classes.ts';
import type { BillDifference as Difference } from '../comparison/bill-comparison.ts';
import type { StoredFix } from '../decisions/bill-fix.table.ts';
import type { BillDay, BillDifference } from '../resolvers.generated.ts';
import type { ComparedDay } from './compare-days.step.ts';

const textOf = (amount: Parameters<typeof plain>[0] | null) => (amount === null ? null : plain(amount));

export function toBillDayView(day: ComparedDay): BillDay {
  const differences = day.differences.map((difference) => toDifferenceView(day, difference));
  return {
    connectionId: day.connection.id,
    source: day.connection.source,
    day: day.day,
    lastDay: day.lastDay,
    state:
      day.state === 'SETTLED' && differences.some(({ fix }) => fix !== null) && !isUnexplained(differences)
        ? 'CLOSED'
        : day.state,
    coverage: plain(day.coverage),
    currencies: [...day.currencies],
    billed: plain(day.billed),
    own: textOf(day.own),
    difference: textOf(day.difference),
    unexplained: textOf(day.unexplained),
    isUnexplained: day.state === 'SETTLED' && isUnexplained(differences),
    quantityVerdict: day.quantityVerdict,
    amountVerdict: day.amountVerdict,
    differences,
  };
}

function isUnexplained(differences: readonly BillDifference[]): boolean {
  return differences.some(({ unexplained, fix }) => fix === null && unexplained !== null && unexplained !== '0');
}

export function toDifferenceView(day: ComparedDay, difference: Difference): BillDifference {
  return {
    connectionId: day.connection.id,
    source: day.connection.source,
    day: day.day,
    model: difference.model,
    billedQuantity: textOf(difference.billedQuantity),
    ownQuantity: plain(difference.ownQuantity),
    billed: plain(difference.billed),
    own: textOf(difference.own),
    difference: textOf(difference.difference),
    causes: difference.causes.map(({ cause, amount, detail, tokenClass, context, scopes, price, percent }) => ({
      cause,
      amount: plain(amount),
      detail,
      tokenClass: tokenClass === undefined ? null : wireName(tokenClass),
      context: context ?? null,
      scopes: [...(scopes ?? [])],
      pricePerMillion: price === undefined ? null : plain(price.toDecimalPlaces(9)),
      percent: percent === undefined ? null : plain(percent),
    })),
    unexplained: textOf(difference.unexplained),
    quantityVerdict: difference.quantityVerdict,
    amountVerdict: difference.amountVerdict,
    fix: toFixView(acceptanceOf(day, difference)),
  };
}

/** The acceptance of exactly this difference. If its amount has changed since, it is shown again. */
function acceptanceOf({ fixes }: ComparedDay, { model, unexplained }: Difference): StoredFix | null {
  const accepted = fixes.filter((fix) => fix.kind === 'ACCEPT' && fix.model === model);
  const amount = textOf(unexplained);
  return accepted.findLast((fix) => fix.amount !== null && amount !== null && isSame(fix.amount, amount)) ?? null;
}

function isSame(stored: string, amount: string): boolean {
  return stored.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') === amount;
}

export function toFixView(fix: StoredFix): NonNullable<BillDifference['fix']>;
export function toFixView(fix: StoredFix | null): BillDifference['fix'];
export function toFixView(fix: StoredFix | null): BillDifference['fix'] {
  if (fix === null) return null;
  const { id, connectionId, kind, day, model, scope, note, operationId, rateCardId } = fix;
  return {
    id,
    connectionId,
    kind,
    day,
    model,
    scope,
    note,
    operationId,
    rateCardId,
    appliedAt: fix.appliedAt,
    revertedAt: fix.revertedAt,
  };
}
