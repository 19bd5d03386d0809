/** Rolls up pending facts of the organization that needs it most and that no other follower holds. */
import type { OrganizationId } from '#kernel/ids.ts';
import { elapsedMilliseconds } from '#platform/clock.ts';
import type { Database } from '#platform/database/open-database.ts';
import { ROLL_UP_FACTS_PER_STEP } from '../config.ts';
import { findPending } from '../rollups/pending-day.table.ts';
import { rollUpSome } from '../rollups/roll-up-days.step.ts';
import { claimOffsets } from './feed-offset.table.ts';
import { fixedBound, type WorkBound } from './timed-bound.ts';

/** If a server crash loses the step, its facts are pending again. */
const IS_REPEATED = { isDurable: false } as const;

/**
 * Runs one step. An organization needs a step if it has `factsMax` pending facts, or if no fact has arrived for
 * `quietSeconds`. Returns false if no organization needs a step, or if other followers hold the organizations that need
 * one most.
 */
export async function rollUpNext(
  database: Database,
  due: { readonly factsMax: number; readonly quietSeconds: number },
  facts: WorkBound = fixedBound(ROLL_UP_FACTS_PER_STEP),
): Promise<boolean> {
  for (const organizationId of await findPending(database, due))
    if (await rollUpOf(database, organizationId, facts)) return true;
  return false;
}

/** False if another follower holds the organization. */
function rollUpOf(database: Database, organizationId: OrganizationId, facts: WorkBound): Promise<boolean> {
  return database.system(async (tx) => {
    const [held] = await claimOffsets(tx, [organizationId], 1);
    if (!held) return false;
    const started = elapsedMilliseconds();
    const done = await rollUpSome(tx, organizationId, facts.max);
    facts.took(done, elapsedMilliseconds() - started);
    return true;
  }, IS_REPEATED);
}
