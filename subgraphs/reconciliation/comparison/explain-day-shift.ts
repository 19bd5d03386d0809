/** Step 6: two adjacent days agree in total, for example because a provider counts a call on the day it ended. */
import { NO_QUANTITY, plain, type Quantity } from '#kernel/money.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { agrees, type Cell, type Group, groupBound, isWithin, quantityDifference, take } from './compared-group.ts';

/** Pairs days in order; each day is in at most one pair. */
export function explainDayShifts(groups: readonly Group[]): void {
  const byDay = new Map(groups.map((group) => [`${group.day}/${group.key}`, group]));
  const ordered = [...groups].sort((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0));
  for (const group of ordered) {
    const next = byDay.get(`${addDays(group.lastDay, 1)}/${group.key}`);
    if (next === undefined || !isOpen(group) || !isOpen(next) || !agreeTogether(group, next)) continue;
    shift(group, next.day);
    shift(next, group.day);
  }
}

function isOpen(group: Group): boolean {
  return group.remaining !== null && !group.isDone && !agrees(group);
}

function agreeTogether(one: Group, other: Group): boolean {
  if (!isWithin(one.remaining!.plus(other.remaining!), groupBound(one).plus(groupBound(other)))) return false;
  const names = new Set([...one.cells, ...other.cells].map(cellName));
  const moved = [...names].map((name) => [differenceIn(one, name), differenceIn(other, name)] as const);
  if (moved.some(([before, after]) => before === null || after === null)) return true;
  return moved.every(([before, after]) => before!.plus(after!).isZero()) && moved.some(([before]) => !before!.isZero());
}

function cellName({ tokenClass, unit }: Cell): string {
  return `${tokenClass ?? ''}/${unit}`;
}

function differenceIn(group: Group, name: string): Quantity | null {
  const cell = group.cells.find((candidate) => cellName(candidate) === name);
  return cell === undefined ? NO_QUANTITY : quantityDifference(cell);
}

function shift(group: Group, otherDay: string): void {
  const amount = group.remaining!;
  take(group, {
    cause: 'DAY_SHIFT',
    amount,
    detail: `${plain(amount.abs())} ${amount.isNegative() ? 'is billed' : 'is in the books'} on ${otherDay}`,
  });
  group.isDone = true;
}
