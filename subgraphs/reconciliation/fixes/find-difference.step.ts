/** Finds the difference that a fix applies to. */
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#schema/errors.ts';
import type { BillDifference } from '../comparison/bill-comparison.ts';
import { compareDays, type ComparedDay } from '../days/compare-days.step.ts';
import { requireDay } from '../days/requested-days.ts';
import { addDays } from '../lines/utc-day.ts';

export interface DifferenceKey {
  readonly connectionId: string;
  readonly day: string;
  /** Null for lines without a model. */
  readonly model: string | null;
}

/** Fails with `NOT_FOUND`. */
export async function findDifference(
  context: SubgraphContext,
  gateway: GatewayClient,
  { connectionId, day, model }: DifferenceKey,
): Promise<{ readonly day: ComparedDay; readonly difference: BillDifference }> {
  const organizationId = organizationOf(context);
  const from = requireDay('day', day);
  const window = { from, until: addDays(from, 1) };
  const days = await compareDays(context, gateway, organizationId, window, connectionId);
  for (const compared of days.filter((candidate) => candidate.day === day)) {
    const difference = compared.differences.find((candidate) => candidate.model === model);
    if (difference !== undefined) return { day: compared, difference };
  }
  return fail('NOT_FOUND', 'model: no bill for this connection, day and model');
}
