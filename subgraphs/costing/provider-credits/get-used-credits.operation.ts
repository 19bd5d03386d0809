/** `Window.usedCredits`: what credits paid for in a window, as booked. */
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { daysOfWindow } from '../fixed-costs/days.ts';
import { type BookedBurn, NO_SUMS, readBurnDays, readCreditSums } from './provider-credit-entry.table.ts';
import { listCreditRows } from './provider-credit.table.ts';
import type { ProviderCredit } from './provider-credit.ts';

/** Covers the days that start within the window, so that adjacent windows add up. */
export async function getUsedCredits(context: SubgraphContext, window: Window) {
  const organizationId = organizationOf(context);
  const range = daysOfWindow(window);
  const { credits, sums, burns } = await context.database.snapshot(organizationId, async (tx) => ({
    credits: await listCreditRows(tx, organizationId),
    sums: await readCreditSums(tx, organizationId, { days: range }),
    burns: await readBurnDays(tx, organizationId, range),
  }));
  const lines = credits
    .map(({ id, name, providerSlug }) => {
      const { burn, expiry } = sums.get(id) ?? NO_SUMS;
      return { creditId: id, name, provider: providerSlug, used: burn, expired: expiry };
    })
    .filter(({ used, expired }) => used !== 0n || expired !== 0n);
  return {
    used: lines.reduce((total, line) => total + line.used, 0n),
    expired: lines.reduce((total, line) => total + line.expired, 0n),
    lines,
    days: usedDays(credits, burns),
  };
}

function usedDays(credits: readonly ProviderCredit[], burns: readonly BookedBurn[]) {
  const providers = new Map(credits.map(({ id, providerSlug }) => [id, providerSlug]));
  const named = burns.map(({ creditId, day, amount }) => ({ day, provider: providers.get(creditId) ?? '', amount }));
  return [...Map.groupBy(named, ({ day, provider }) => `${day} ${provider}`)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, [first, ...others]]) => ({
      day: first!.day,
      provider: first!.provider,
      used: others.reduce((total, { amount }) => total + amount, first!.amount),
    }));
}
