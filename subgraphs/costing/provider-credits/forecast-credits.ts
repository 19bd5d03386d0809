/**
 * Forecasts when credits are used up, or how much of them expires, if each day costs as much as the last 30 settled
 * days did on average.
 */
import { addDays } from '#kernel/time/utc-day.ts';
import type { Amount } from '#kernel/money.ts';
import type { CostCell, CostDay } from '../provider-costs/selected-costs.ts';
import { burnCredits } from './burn-credits.ts';
import type { ProviderCredit } from './provider-credit.ts';

export const HISTORY_DAYS = 30;
/** A credit that lasts longer is not forecast to be used up. */
const AHEAD_DAYS = 1_100;

export interface CreditForecast {
  /** Null: not before it expires, or not within three years. */
  readonly usedUpOn: string | null;
  /** Null: it does not expire within three years. */
  readonly expiresUnused: Amount | null;
}

/**
 * `days`: the settled days; `from`: the first day that is not settled; `left`: the rest of each credit. A credit with
 * nothing left has no forecast; without a settled day, no credit has one.
 */
export function forecastCredits(
  credits: readonly ProviderCredit[],
  left: ReadonlyMap<string, Amount>,
  days: readonly CostDay[],
  from: string,
): ReadonlyMap<string, CreditForecast> {
  const open = credits.flatMap((credit) => {
    const amount = left.get(credit.id) ?? 0n;
    return amount > 0n ? [{ ...credit, amount }] : [];
  });
  const history = days.filter(({ day }) => day >= addDays(from, -HISTORY_DAYS) && day < from);
  if (open.length === 0 || history.length === 0) return new Map();
  const cells = averageOf(history);
  const end = addDays(from, AHEAD_DAYS);
  const ahead = Array.from({ length: AHEAD_DAYS }, (_, index) => ({ day: addDays(from, index), cells }));
  const burns = Map.groupBy(burnCredits(open, ahead), ({ creditId }) => creditId);
  return new Map(
    open.map(({ id, untilDay }) => {
      const ofCredit = burns.get(id) ?? [];
      const expiry = ofCredit.find(({ cause }) => cause === 'expiry');
      const burnt = ofCredit.reduce((total, { cause, amount }) => (cause === 'burn' ? total + amount : total), 0n);
      const isUsedUp = burnt === left.get(id);
      return [
        id,
        {
          usedUpOn: isUsedUp ? ofCredit.at(-1)!.day : null,
          expiresUnused: isUsedUp ? 0n : untilDay !== null && untilDay <= end ? (expiry?.amount ?? 0n) : null,
        },
      ];
    }),
  );
}

function averageOf(days: readonly CostDay[]): CostCell[] {
  const sums = new Map<string, CostCell>();
  for (const { cells } of days)
    for (const cell of cells) {
      const key = JSON.stringify([cell.provider, cell.model, cell.chargeClass]);
      sums.set(key, { ...cell, cost: cell.cost + (sums.get(key)?.cost ?? 0n) });
    }
  return [...sums.values()].map((cell) => ({ ...cell, cost: cell.cost / BigInt(days.length) }));
}
