/**
 * `Window.shortfalls`: shortfalls of commitments whose periods have ended, and prepayments that expired unused, as booked
 * in a window.
 */
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { daysOfWindow } from '../fixed-costs/days.ts';
import { readCreditSums } from '../provider-credits/provider-credit-entry.table.ts';
import { listCreditRows } from '../provider-credits/provider-credit.table.ts';
import { sumShortfalls } from './commitment-entry.table.ts';
import { listCommitmentRows } from './commitment.table.ts';

/** Covers the days that start within the window, so that adjacent windows add up. */
export async function getShortfalls(context: SubgraphContext, window: Window) {
  const organizationId = organizationOf(context);
  const days = daysOfWindow(window);
  const { commitments, missing, credits, used } = await context.database.snapshot(organizationId, async (tx) => ({
    commitments: await listCommitmentRows(tx, organizationId),
    missing: await sumShortfalls(tx, organizationId, days),
    credits: await listCreditRows(tx, organizationId),
    used: await readCreditSums(tx, organizationId, { days }),
  }));
  const lines = [
    ...commitments.map(({ id, name, providerSlug }) => ({
      id,
      kind: 'COMMITMENT' as const,
      name,
      provider: providerSlug,
      amount: missing.get(id) ?? 0n,
    })),
    ...credits
      .filter(({ kind }) => kind === 'prepayment')
      .map(({ id, name, providerSlug }) => ({
        id,
        kind: 'PREPAYMENT' as const,
        name,
        provider: providerSlug,
        amount: used.get(id)?.expiry ?? 0n,
      })),
  ].filter(({ amount }) => amount !== 0n);
  return { total: lines.reduce((total, { amount }) => total + amount, 0n), lines };
}
