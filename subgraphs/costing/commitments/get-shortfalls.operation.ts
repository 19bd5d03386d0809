/** `Window.shortfalls`: what was missing at the end of commitments' periods, as booked in a window. */
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { daysOfWindow } from '../fixed-costs/days.ts';
import { sumShortfalls } from './commitment-entry.table.ts';
import { listCommitmentRows } from './commitment.table.ts';

/** The days that start within the window, so that adjacent windows add up. */
export async function getShortfalls(context: SubgraphContext, window: Window) {
  const organizationId = organizationOf(context);
  const { commitments, sums } = await context.database.snapshot(organizationId, async (tx) => ({
    commitments: await listCommitmentRows(tx, organizationId),
    sums: await sumShortfalls(tx, organizationId, daysOfWindow(window)),
  }));
  const lines = commitments
    .map(({ id, name, providerSlug }) => ({
      commitmentId: id,
      name,
      provider: providerSlug,
      amount: sums.get(id) ?? 0n,
    }))
    .filter(({ amount }) => amount !== 0n);
  return { total: lines.reduce((total, { amount }) => total + amount, 0n), lines };
}
