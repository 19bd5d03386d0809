/**
 * Aggregates past days by everything their prices depend on, so that a simulation of months reads only a few rows per
 * customer.
 */
import { daysEarlier } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { Job } from '#platform/job-loop.ts';
import { PROFILE_CHANNEL, PROFILE_DAYS, PROFILE_DAYS_PER_CHECK, PROFILE_REST_SECONDS } from '../config.ts';
import { makeProfile } from './make-profile.step.ts';
import { listOpenDays, type OpenDay } from './usage-profile-day.table.ts';

/** Time to wait for late events of a day, which would require a new profile. */
const SETTLED_AFTER_MS = 2 * 3_600_000;

export function profileUsageJob({ database }: { readonly database: Database }): Job {
  let open: OpenDay[] = [];
  return {
    name: 'profile-usage',
    channel: PROFILE_CHANNEL,
    restMilliseconds: PROFILE_REST_SECONDS * 1_000,
    async step() {
      if (open.length === 0) {
        const at = now();
        const until = new Date(at.getTime() - SETTLED_AFTER_MS);
        until.setUTCHours(0, 0, 0, 0);
        open = await listOpenDays(database, daysEarlier(until, PROFILE_DAYS), until, PROFILE_DAYS_PER_CHECK);
      }
      const next = open.shift();
      if (next === undefined) return 'idle';
      await database.system((tx) => makeProfile(tx, next));
      return 'more';
    },
  };
}
