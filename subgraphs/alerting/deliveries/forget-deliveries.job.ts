/** Deletes deliveries older than the log's retention, and signing secrets that no longer sign. */
import { daysEarlier, HOUR_MS } from '#kernel/time/duration.ts';
import { databaseTime } from '#platform/database/sql.ts';
import { type Job, UPKEEP_SHARE } from '#platform/job-loop.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { forgetPreviousSecrets } from '../channels/alert-channel.table.ts';
import { DELIVERY_DAYS_KEPT } from '../config.ts';
import { forgetDeliveries } from './alert-delivery.table.ts';

const ROWS_PER_STEP = 1_000;

export function forgetDeliveriesJob({ database }: Pick<SubgraphDependencies, 'database'>): Job {
  return {
    name: 'forget-alert-deliveries',
    restMilliseconds: HOUR_MS,
    share: UPKEEP_SHARE,
    step: () =>
      database.system(async (tx) => {
        const at = await databaseTime(tx);
        await forgetPreviousSecrets(tx, at);
        const gone = await forgetDeliveries(tx, daysEarlier(at, DELIVERY_DAYS_KEPT), ROWS_PER_STEP);
        return gone < ROWS_PER_STEP ? 'idle' : 'more';
      }),
  };
}
