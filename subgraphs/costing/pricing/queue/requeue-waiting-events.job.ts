/** Finishes what a change of rates began: looks through the waiting events when the process that changed them was stopped on the way. */
import { now } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/database/open-database.ts';
import type { Job } from '../../../../platform/job-loop.ts';
import { REQUEUE_TAKEOVER_SECONDS } from '../../config.ts';
import { findUnfinishedRateChanges, finishRateChange } from '../../rates/rate-generation.table.ts';
import { requeueWaitingEvents } from './requeue-events.step.ts';

export function requeueWaitingEventsJob({ database }: { readonly database: Database }): Job {
  return {
    name: 'requeue-waiting-events',
    restMilliseconds: REQUEUE_TAKEOVER_SECONDS * 1_000,
    async step() {
      const before = new Date(now().getTime() - REQUEUE_TAKEOVER_SECONDS * 1_000);
      const changes = await database.acrossOrganizations((em) => findUnfinishedRateChanges(em, before));
      for (const change of changes) {
        await requeueWaitingEvents(database, change.organizationId, null);
        await database.acrossOrganizations((em) => finishRateChange(em, change));
      }
      return 'idle';
    },
  };
}
