/** Deletes parts of uploads that were never finished. */
import { daysEarlier, HOUR_MS } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import type { Job } from '#platform/job-loop.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { UPLOAD_DAYS } from '../config.ts';
import { forgetUploads } from './bill-upload.table.ts';

export function forgetUploadsJob({ database }: Pick<SubgraphDependencies, 'database'>): Job {
  return {
    name: 'forget-bill-uploads',
    restMilliseconds: HOUR_MS,
    step: async () => {
      await database.system((tx) => forgetUploads(tx, daysEarlier(now(), UPLOAD_DAYS)));
      return 'idle';
    },
  };
}
