/**
 * Decides which credits pay for new events: the allotment first, then the pack that expires first (decision 9, D11).
 */
import { type CreditAccount, type CreditPack, isUnlimited, renewed } from './credit-account.ts';

export interface Spending {
  /** Number of events paid for: the first ones, in request order. */
  readonly covered: number;
  readonly fromAllotment: number;
  /** Only packs that credits are taken from, in the order of use. */
  readonly fromPacks: readonly { readonly id: string; readonly taken: number }[];
  /** The account afterwards, with a due renewal applied. */
  readonly account: CreditAccount;
}

/** Takes up to `count` credits at the instant `now`. An unlimited account covers everything, and nothing is taken. */
export function spendCredits(before: CreditAccount, now: Date, count: number): Spending {
  if (isUnlimited(before)) return { covered: count, fromAllotment: 0, fromPacks: [], account: before };

  const { allotment, packs } = renewed(before, now);
  const fromAllotment = Math.min(Math.max(allotment?.left ?? 0, 0), count);
  const fromPacks = takeFromPacks(packs, now, count - fromAllotment);
  const covered = fromPacks.reduce((total, { taken }) => total + taken, fromAllotment);
  const account = {
    allotment: allotment && { ...allotment, left: allotment.left - fromAllotment },
    packs: packs.map((pack) => ({
      ...pack,
      left: pack.left - (fromPacks.find(({ id }) => id === pack.id)?.taken ?? 0),
    })),
  };
  return { covered, fromAllotment, fromPacks, account };
}

/** A pack can be used before, but not at, its expiry. If two expire at the same time, the lower id is used first. */
function takeFromPacks(packs: readonly CreditPack[], now: Date, count: number): { id: string; taken: number }[] {
  let rest = count;
  const taken: { id: string; taken: number }[] = [];
  for (const pack of packs.filter(({ left, expiresAt }) => left > 0 && expiresAt > now).sort(byExpiry)) {
    if (rest === 0) break;
    const part = Math.min(pack.left, rest);
    taken.push({ id: pack.id, taken: part });
    rest -= part;
  }
  return taken;
}

function byExpiry(one: CreditPack, other: CreditPack): number {
  return one.expiresAt.getTime() - other.expiresAt.getTime() || (one.id < other.id ? -1 : 1);
}
