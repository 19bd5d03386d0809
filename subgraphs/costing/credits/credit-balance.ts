/** The remaining credits of an organization, for display. */
import type { OrganizationId } from '#kernel/ids.ts';
import { type CreditAccount, isUnlimited, renewed } from './credit-account.ts';

export interface CreditBalance {
  readonly organizationId: OrganizationId;
  readonly allotment: number | null;
  readonly softLimit: number | null;
  readonly allotmentLeft: number | null;
  readonly packsLeft: number | null;
  readonly creditsLeft: number | null;
  readonly renewsAt: Date | null;
}

/**
 * A renewal that is due is applied; expired packs do not count. All fields are null without a plan or pack (decision 9,
 * D13).
 */
export function creditBalance(
  organizationId: OrganizationId,
  stored: CreditAccount,
  softLimit: number | null,
  now: Date,
): CreditBalance {
  if (isUnlimited(stored)) {
    const nothing = { allotment: null, softLimit: null, allotmentLeft: null, packsLeft: null, creditsLeft: null };
    return { organizationId, ...nothing, renewsAt: null };
  }
  const { allotment, packs } = renewed(stored, now);
  const allotmentLeft = allotment && Math.max(allotment.left, 0);
  const packsLeft = packs.reduce((total, { left, expiresAt }) => (expiresAt > now ? total + left : total), 0);
  return {
    organizationId,
    allotment: allotment?.size ?? null,
    softLimit,
    allotmentLeft,
    packsLeft,
    creditsLeft: (allotmentLeft ?? 0) + packsLeft,
    renewsAt: allotment?.renewsAt ?? null,
  };
}
