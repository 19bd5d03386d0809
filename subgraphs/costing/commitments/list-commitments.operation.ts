/** Lists commitments with spent and missing amounts, and a forecast. */
import { requireInstant } from '#kernel/time/instant.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { readCommitmentViews } from './read-commitments.step.ts';

/** Commitments by provider and first day. With `asOf`, as computed at that instant and without forecasts. */
export function listCommitments(context: SubgraphContext, asOf: string | null = null) {
  const organizationId = organizationOf(context);
  const today = now().toISOString().slice(0, 10);
  const instant = asOf === null ? null : new Date(requireInstant('asOf', asOf).iso);
  return context.database.snapshot(organizationId, (tx) =>
    readCommitmentViews(tx, organizationId, { today, asOf: instant }),
  );
}
