/** Parses what a dispute took from the account, and how the processor converted it. */
import { z } from 'zod';
import { plain, quantity, type Quantity } from '#kernel/money.ts';
import { fromMinorUnits, toMinorUnits } from './minor-units.ts';
import { currencyCode, epochSeconds, minorUnits } from './read-object.ts';
import type { Settlement } from './read-settlement.ts';

/** Balance transactions of a dispute: zero, or a withdrawal, and what was reinstated. */
export const disputeTransactions = z
  .array(
    z.object({
      /** Negative for a withdrawal. */
      amount: minorUnits,
      currency: currencyCode,
      exchange_rate: z.number().positive().nullish(),
      created: epochSeconds.nullish(),
    }),
  )
  .nullish()
  .catch(null);

/**
 * What a dispute took, in minor units of its own currency, and how the processor converted that. If there are several
 * conversions, the rate is their average. If the processor leaves out `exchange_rate`, the rate is derived from the
 * amounts of the withdrawal.
 */
export function readDisputedAmount(
  dispute: { readonly amount: bigint; readonly currency: string },
  transactions: z.infer<typeof disputeTransactions>,
): { readonly takenMinor: bigint; readonly settlement: Settlement | null } {
  const { amount, currency } = dispute;
  const moved = transactions ?? [];
  const unconverted = moved.filter((one) => one.currency === currency);
  const converted = moved.filter((one) => one.currency !== currency);
  if (unconverted.length > 0 || converted.length === 0) {
    const withdrawn = unconverted.length === 0 ? amount : -sumOf(unconverted);
    return { takenMinor: within(withdrawn, amount), settlement: null };
  }
  const disputed = fromMinorUnits(amount, currency);
  const [withdrawal] = converted.filter((one) => one.amount < 0n);
  if (!withdrawal || amount <= 0n) return { takenMinor: amount, settlement: null };
  const settled = (minor: bigint) => fromMinorUnits(minor, withdrawal.currency);
  const rateOfWithdrawal = statedRate(withdrawal) ?? settled(-withdrawal.amount).div(disputed);
  const back = converted.filter((one) => one.amount > 0n && one.currency === withdrawal.currency);
  const parts = back.map((one) => {
    const rate = statedRate(one) ?? rateOfWithdrawal;
    return { rate, minor: toMinorUnits(settled(one.amount).div(rate), currency) };
  });
  const takenMinor = within(amount - parts.reduce((sum, { minor }) => sum + minor, 0n), amount);
  const taken = fromMinorUnits(takenMinor, currency);
  const cost = parts.reduce(
    (sum, { rate, minor }) => sum.minus(fromMinorUnits(minor, currency).times(rate)),
    disputed.times(rateOfWithdrawal),
  );
  const rate = parts.length === 0 || takenMinor === 0n ? rateOfWithdrawal : cost.div(taken);
  const at = withdrawal.created;
  if (at === null || at === undefined || !rate.isPositive()) return { takenMinor, settlement: null };
  return { takenMinor, settlement: { currency: withdrawal.currency, rate: plain(rate.toDecimalPlaces(20)), at } };
}

function statedRate({ exchange_rate: rate }: { exchange_rate?: number | null | undefined }): Quantity | null {
  return rate === null || rate === undefined ? null : quantity(rate);
}

function sumOf(parts: readonly { amount: bigint }[]): bigint {
  return parts.reduce((sum, { amount }) => sum + amount, 0n);
}

function within(value: bigint, max: bigint): bigint {
  return value < 0n ? 0n : value < max ? value : max;
}
