/** The used part of a fixed cost over some days, and the cost of a unit of use. */
import {
  amount,
  type Amount,
  money,
  type Money,
  ONE,
  plain,
  quantity,
  type Quantity,
  toLedger,
} from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import type { AllocationDay } from './allocation-day.table.ts';
import type { FixedCost } from './fixed-cost.ts';

export interface Utilisation {
  /** Allocated days. */
  readonly days: number;
  readonly bought: Amount;
  readonly used: Amount;
  /** Null: unknown, because a day has no capacity. */
  readonly idle: Amount | null;
  readonly unallocated: Amount;
  /** In the driver's unit; null if it does not measure use. */
  readonly usedMeasure: Amount | null;
  readonly capacity: Amount | null;
  /** Used part of the capacity, which may exceed 100; null without a capacity. */
  readonly percent: number | null;
  readonly modelCost: Amount;
  /** At the catalogue's list prices; null if unknown, because a day was allocated by an earlier version. */
  readonly listCost: Amount | null;
  readonly replacedCost: Amount;
  /** Used percentage at which `modelCost` would equal `bought`; null without a capacity or model costs. */
  readonly breakEvenPercent: number | null;
  /** Used percentage at which `listCost` would equal `bought`; null without a capacity or list costs. */
  readonly listBreakEvenPercent: number | null;
}

/** Sums over the days; a figure that is unknown on one day is unknown in total. */
export function utilisationOf(days: readonly AllocationDay[]): Utilisation {
  const sumOf = (pick: (day: AllocationDay) => string | null): Amount | null =>
    days.reduce<Amount | null>((total, day) => {
      const value = pick(day);
      return total === null || value === null ? null : total + amount(value);
    }, 0n);
  const bought = sumOf((day) => day.amount)!;
  const used = sumOf((day) => day.used)!;
  const idle = sumOf((day) => day.idle)!;
  const usedMeasure = sumOf((day) => day.driverTotal);
  const capacity = days.length === 0 ? null : sumOf((day) => day.capacity);
  const modelCost = sumOf((day) => day.modelCost)!;
  const listCost = sumOf((day) => day.listCost);
  return {
    days: days.length,
    bought,
    used,
    idle: capacity === null ? null : idle,
    unallocated: bought - used - idle,
    usedMeasure,
    capacity,
    percent: capacity === null || usedMeasure === null ? null : percent(usedMeasure, capacity),
    modelCost,
    listCost,
    replacedCost: sumOf((day) => day.replacedCost)!,
    breakEvenPercent: breakEvenPercent({ bought, usedMeasure, capacity }, modelCost),
    listBreakEvenPercent: listCost === null ? null : breakEvenPercent({ bought, usedMeasure, capacity }, listCost),
  };
}

function breakEvenPercent(
  { bought, usedMeasure, capacity }: Pick<Utilisation, 'bought' | 'usedMeasure' | 'capacity'>,
  tokenCost: Amount,
): number | null {
  if (capacity === null || usedMeasure === null || usedMeasure <= 0n || tokenCost <= 0n) return null;
  return percent(bought * usedMeasure, tokenCost * capacity);
}

const MILLION = quantity(1_000_000);

export interface EffectivePrice {
  /** USD per `per` units; null if nothing was used. */
  readonly price: Money | null;
  readonly per: Quantity;
}

/** The amount divided by its use; null if the driver does not measure tokens, events or units. */
export function effectivePriceOf(
  { driver }: Pick<FixedCost, 'driver'>,
  { bought, usedMeasure }: Utilisation,
): EffectivePrice | null {
  if (driver !== 'tokens' && driver !== 'events' && driver !== 'units') return null;
  const per = driver === 'tokens' ? MILLION : ONE;
  const measure = quantity(plain(usedMeasure ?? 0n));
  return { price: measure.isZero() ? null : toLedger(money(plain(bought)).times(per).div(measure)), per };
}
