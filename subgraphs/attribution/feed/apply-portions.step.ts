/** One step of following the feed: facts, rollups, end users and the new position, all or nothing. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { applyFacts } from '../rollups/apply-facts.step.ts';
import { arrivingEndUsers, arrivingFacts } from '../rollups/arriving-fact.ts';
import { rememberEndUsers } from '../end-users/end-user.table.ts';
import type { Portion } from '../rollups/plan-slices.ts';
import { lockPosition, movePosition } from './feed-position.table.ts';

export interface PortionsToApply {
  readonly portions: readonly Portion[];
  /** Where the follower stood when it asked for them. */
  readonly after: unknown;
  /** Where it stands then; `after` while there is more of the page. */
  readonly position: unknown;
  /** How many batches are known to follow. */
  readonly batchesBehind: number;
  readonly valuesPerDayMax?: number;
}

/** Gives false, and changes nothing, when another follower has moved on in the meantime. */
export async function applyPortions(
  em: EntityManager,
  { portions, after, position, batchesBehind, valuesPerDayMax }: PortionsToApply,
): Promise<boolean> {
  const { arrival, asExpected } = await lockPosition(em, after);
  if (!asExpected) return false;
  const next = String(BigInt(arrival) + 1n);
  await rememberEndUsers(em, arrivingEndUsers(portions));
  await applyFacts(em, arrivingFacts(portions), next, valuesPerDayMax);
  await movePosition(em, { position, arrival: next, batchesBehind });
  return true;
}
