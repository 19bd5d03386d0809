/**
 * What an organization may still ingest. One credit is one accepted new event, live or test (decision 9, D11, D13).
 */
import { addMonths } from '../../../kernel/time/calendar.ts';

export interface CreditAccount {
  /** The plan's monthly share; `null` without a plan. */
  readonly allotment: Allotment | null;
  /** Every pack ever bought: one that has expired or is used up still makes the organization one with a balance. */
  readonly packs: readonly CreditPack[];
}

interface Allotment {
  readonly size: number;
  readonly left: number;
  /** When `left` becomes `size` again; `null` when it never does. */
  readonly renewsAt: Date | null;
  /** Day of the month, 1 to 31, on which renewals fall; shorter months renew on their last day. */
  readonly renewalDay: number;
}

export interface CreditPack {
  readonly id: string;
  readonly left: number;
  readonly expiresAt: Date;
}

/** Without plan and pack there is no balance and no limit. */
export function isUnlimited({ allotment, packs }: CreditAccount): boolean {
  return allotment === null && packs.length === 0;
}

/**
 * The allotment as it stands now: full again from the instant of its renewal, the next renewal being the first after
 * now.
 */
export function renewed(account: CreditAccount, now: Date): CreditAccount {
  const { allotment } = account;
  if (allotment === null || allotment.renewsAt === null || allotment.renewsAt > now) return account;
  return {
    ...account,
    allotment: {
      ...allotment,
      left: allotment.size,
      renewsAt: nextRenewal(allotment.renewsAt, allotment.renewalDay, now),
    },
  };
}

/** From a renewal that has passed to the first one after now, without walking through the months between. */
function nextRenewal(last: Date, day: number, now: Date): Date {
  const monthsBetween = (now.getUTCFullYear() - last.getUTCFullYear()) * 12 + now.getUTCMonth() - last.getUTCMonth();
  const inThisMonth = addMonths(last, monthsBetween, day);
  return inThisMonth > now ? inThisMonth : addMonths(last, monthsBetween + 1, day);
}
