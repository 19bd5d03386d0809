/** Finds the difference that a fix applies to. */
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import type { BillDifference } from '../comparison/bill-comparison.ts';
import { compareDays, type ComparedDay } from '../days/compare-days.step.ts';
import { addDays, requireDay } from '#kernel/time/utc-day.ts';

export interface DifferenceKey {
  readonly connectionId: string;
  readonly day: string;
  readonly lastDay: string;
  /** Null for lines without a model. */
  readonly model: string | null;
  /** Null for lines without a unit of their own. */
  readonly unit: string | null;
}

interface GivenKey {
  readonly connectionId: string;
  readonly day: string;
  readonly lastDay?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly unit?: string | null | undefined;
}

/** Fills in the defaults of a key: one day, no model and no unit. */
export function differenceKey({ connectionId, day, lastDay, model, unit }: GivenKey): DifferenceKey {
  return { connectionId, day, lastDay: lastDay ?? day, model: model ?? null, unit: unit ?? null };
}

/** Fails with `NOT_FOUND`. */
export async function findDifference(
  context: SubgraphContext,
  gateway: GatewayClient,
  { connectionId, day, lastDay, model, unit }: DifferenceKey,
): Promise<{ readonly day: ComparedDay; readonly difference: BillDifference }> {
  const organizationId = organizationOf(context);
  const from = requireDay('day', day);
  const window = { from, until: addDays(from, 1) };
  const days = await compareDays(context, gateway, organizationId, window, connectionId);
  for (const compared of days.filter((candidate) => candidate.day === day && candidate.lastDay === lastDay)) {
    const difference = compared.differences.find((candidate) => candidate.model === model && candidate.unit === unit);
    if (difference !== undefined) return { day: compared, difference };
  }
  return fail('NOT_FOUND', 'model: no bill for this connection, day, model and unit');
}
