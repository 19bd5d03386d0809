/** A compared day as the graph returns it, with exact amounts as text. */
import { money, plain } from '#kernel/money.ts';
import { openAmount } from '../comparison/bill-comparison.ts';
import { wireName } from '#schema/token-classes.ts';
import type { BillDifference as Difference } from '../comparison/bill-comparison.ts';
import type { StoredFix } from '../decisions/bill-fix.table.ts';
import type { BillDay, BillDifference, BillFix } from '../resolvers.generated.ts';
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
    unknownCurrencies: [...new Set(differences.flatMap(({ unknownCurrency }) => unknownCurrency ?? []))].sort(),
    isUnexplained: day.state === 'SETTLED' && isUnexplained(differences),
    quantityVerdict: day.quantityVerdict,
    amountVerdict: day.amountVerdict,
    differences,
    fixes: day.fixes.filter(({ lastDay }) => lastDay === day.lastDay).map(toFixView),
  };
}

function isUnexplained(differences: readonly BillDifference[]): boolean {
  return differences.some((difference) => difference.fix === null && hasUnexplained(difference));
}

/** True if a part is unexplained, or billed in an unknown currency. */
export function hasUnexplained({ unexplained, unknownCurrency }: BillDifference): boolean {
  return (unexplained !== null && unexplained !== '0') || (unknownCurrency ?? null) !== null;
}

export function toDifferenceView(day: ComparedDay, difference: Difference): BillDifference {
  const acceptance = acceptanceOf(day, difference);
  return {
    connectionId: day.connection.id,
    source: day.connection.source,
    day: day.day,
    lastDay: difference.lastDay,
    model: difference.model,
    unit: difference.unit,
    unknownCurrency: difference.unknownCurrency,
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
    unreadNames: [...difference.unreadNames],
    fix: acceptance === null ? null : toFixView(acceptance),
  };
}

/** An acceptance is valid for one amount: if the difference changes, it is shown again. */
function acceptanceOf({ fixes }: ComparedDay, difference: Difference): StoredFix | null {
  const open = openAmount(difference);
  const accepted = fixes.filter(
    ({ kind, model, unit, lastDay }) =>
      kind === 'ACCEPT' && model === difference.model && unit === difference.unit && lastDay === difference.lastDay,
  );
  return accepted.findLast(({ amount }) => amount !== null && open?.eq(money(amount)) === true) ?? null;
}

export function toFixView(fix: StoredFix): BillFix {
  const {
    id,
    connectionId,
    kind,
    day,
    lastDay,
    model,
    unit,
    scope,
    cause,
    note,
    operationId,
    rateCardId,
    agreementId,
  } = fix;
  return {
    id,
    connectionId,
    kind,
    day,
    lastDay,
    model,
    unit,
    scope,
    cause,
    note,
    operationId,
    rateCardId,
    agreementId,
    appliedAt: fix.appliedAt,
    revertedAt: fix.revertedAt,
  };
}
