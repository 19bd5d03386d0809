/** Deletes parts of uploads that were never finished. */
import { earlier } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import type { Job } from '#platform/job-loop.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { UPLOAD_HOURS } from '../config.ts';
import { forgetUploads } from './bill-upload.table.ts';

const REST_MILLISECONDS = 3_600_000;
const HOUR_SECONDS = 3_600;

export function forgetUploadsJob({ database }: Pick<SubgraphDependencies, 'database'>): Job {
  return {
    name: 'forget-bill-uploads',
    restMilliseconds: REST_MILLISECONDS,
    step: async () => {
      await database.system((tx) => forgetUploads(tx, earlier(now(), UPLOAD_HOURS * HOUR_SECONDS)));
      return 'idle';
    },
  };
}
