/** Which credits pay for new events: the allotment first, then the pack that expires first (decision 9, D11). */
import { type CreditAccount, type CreditPack, isUnlimited, renewed } from './credit-account.ts';

export interface Spending {
  /** How many of the events are paid for: the first ones, in request order. */
  readonly covered: number;
  readonly fromAllotment: number;
  /** Only packs of which something is taken, in the order in which they are used. */
  readonly fromPacks: readonly { readonly id: string; readonly taken: number }[];
  /** The account afterwards, its allotment renewed if that was due. */
  readonly account: CreditAccount;
}

/** Takes up to `count` credits at the instant `now`. An unlimited account covers everything and gives nothing. */
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

/** A pack serves until, and not at, the instant it expires. Of two that expire together the lesser id goes first. */
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
