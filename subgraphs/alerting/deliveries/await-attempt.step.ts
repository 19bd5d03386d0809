/** Waits for the job's attempt at a delivery that a user has just requested. */
import type { OrganizationId } from '#kernel/ids.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import type { AlertDelivery } from '../resolvers.generated.ts';
import { findDelivery } from './alert-delivery.table.ts';
import { viewDeliveries } from './delivery-view.step.ts';

const LOOK_EVERY_MILLISECONDS = 100;
const WAIT_SECONDS_MAX = 20;

/** Fails with `VALIDATION_ERROR`. */
export function checkWaitSeconds(waitSeconds: number): void {
  if (waitSeconds < 0 || waitSeconds > WAIT_SECONDS_MAX)
    fail('VALIDATION_ERROR', `waitSeconds must be from 0 to ${WAIT_SECONDS_MAX}`);
}

/**
 * Waits until the delivery has had more than `attempts` attempts or is no longer pending, at most `waitSeconds`.
 * Returns its state at that time.
 */
export async function awaitAttempt(
  { database }: SubgraphContext,
  organizationId: OrganizationId,
  id: string,
  { attempts, waitSeconds, hasMail }: { attempts: number; waitSeconds: number; hasMail: boolean },
): Promise<AlertDelivery> {
  const until = elapsedMilliseconds() + waitSeconds * 1_000;
  for (;;) {
    const [view] = await database.entitySnapshot(organizationId, async (tx) => {
      const delivery = await findDelivery(tx, organizationId, id);
      return delivery === null ? [] : viewDeliveries(tx, organizationId, [delivery], hasMail);
    });
    if (view === undefined) return fail('NOT_FOUND', 'id: delivery not found');
    if (view.attempts.length > attempts || view.state !== 'PENDING' || elapsedMilliseconds() >= until) return view;
    await pause(LOOK_EVERY_MILLISECONDS);
  }
}
