/** One step of following the feed: facts, rollups, end users and the new position, all or nothing. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import type { PricedBatch } from '../../../schema/priced-feed.ts';
import { applyFacts } from '../rollups/apply-facts.step.ts';
import { arrivingEndUsers, arrivingFacts } from '../rollups/arriving-fact.ts';
import { rememberEndUsers } from '../end-users/end-user.table.ts';
import { lockPosition, movePosition } from './feed-position.table.ts';

export interface BatchesToApply {
  /** At least one, in the feed's order. */
  readonly batches: readonly PricedBatch[];
  /** Where the follower stood when it asked for them. */
  readonly after: unknown;
  /** How many batches are known to follow. */
  readonly batchesBehind: number;
  readonly valuesPerDayMax?: number;
}

/** Gives false, and changes nothing, when another follower has moved on in the meantime. */
export async function applyBatches(
  em: EntityManager,
  { batches, after, batchesBehind, valuesPerDayMax }: BatchesToApply,
): Promise<boolean> {
  const { arrival, asExpected } = await lockPosition(em, after);
  if (!asExpected) return false;
  const next = String(BigInt(arrival) + 1n);
  await rememberEndUsers(em, arrivingEndUsers(batches));
  await applyFacts(em, arrivingFacts(batches), next, valuesPerDayMax);
  await movePosition(em, { position: batches.at(-1)?.position, arrival: next, batchesBehind });
  return true;
}
