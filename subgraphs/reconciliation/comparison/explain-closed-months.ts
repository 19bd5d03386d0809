/** Step 3: amounts that are booked in another month, because the month of their events was closed. */
import { plain, sum } from '#kernel/money.ts';
import { type Group, take } from './compared-group.ts';

/** Later steps compare the cost of the day's events, regardless of the month in which it is booked. */
export function explainClosedMonths(group: Group): void {
  const moved = group.own.filter(({ otherDay, amount }) => otherDay !== undefined && amount !== null);
  for (const [otherDay = '', charges] of Map.groupBy(moved, (charge) => charge.otherDay)) {
    const amount = sum(charges.map((charge) => charge.amount!));
    take(group, {
      cause: 'CLOSED_MONTH',
      amount,
      detail:
        otherDay > group.lastDay
          ? `${plain(amount)} is booked on ${otherDay}, because the month was closed`
          : `${plain(amount.negated())} of ${otherDay} is booked here, because that month was closed`,
    });
  }
}
