/**
 * The remaining credits of an organization. One credit is one accepted new event, live or test (decision 9, D11, D13).
 */
import { addMonths } from '#kernel/time/calendar.ts';

export interface CreditAccount {
  /** The plan's monthly allotment; `null` without a plan. */
  readonly allotment: Allotment | null;
  /** Every pack ever bought. Even an expired or used pack means that the organization has a balance. */
  readonly packs: readonly CreditPack[];
}

interface Allotment {
  readonly size: number;
  readonly left: number;
  /** Time at which `left` is reset to `size`; `null`: never. */
  readonly renewsAt: Date | null;
  /** Day of the month, 1 to 31, on which renewals fall; shorter months renew on their last day. */
  readonly renewalDay: number;
}

export interface CreditPack {
  readonly id: string;
  readonly left: number;
  readonly expiresAt: Date;
}

/** Without a plan or pack, there is no balance and no limit. */
export function isUnlimited({ allotment, packs }: CreditAccount): boolean {
  return allotment === null && packs.length === 0;
}

/**
 * The account with a due renewal applied: the allotment is full again, and the next renewal is the first one after now.
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

/** The first renewal after now, computed without iterating over the months in between. */
function nextRenewal(last: Date, day: number, now: Date): Date {
  const monthsBetween = (now.getUTCFullYear() - last.getUTCFullYear()) * 12 + now.getUTCMonth() - last.getUTCMonth();
  const inThisMonth = addMonths(last, monthsBetween, day);
  return inThisMonth > now ? inThisMonth : addMonths(last, monthsBetween + 1, day);
}
