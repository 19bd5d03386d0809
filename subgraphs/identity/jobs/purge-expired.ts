/** Deletes what has run out and that nobody needs any more. */
import { now } from '../../../platform/clock.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import type { Job } from '../../../platform/job-loop.ts';
import type { SubgraphSurroundings } from '../../../platform/subgraph/subgraph.ts';
import { CLIENT_UNUSED_DAYS, KEEP_DAYS } from '../config.ts';
import { deleteOldCodes } from '../data/authorization-code.ts';
import { deleteOldRequests } from '../data/authorization-request.ts';
import { deleteOldDeviceLogins } from '../data/device-login.ts';
import { deleteOldInvitations } from '../data/invitation.ts';
import { deleteUnusedClients } from '../data/oauth-client.ts';
import { deleteOldResets } from '../data/password-reset.ts';
import { deleteOldOffers } from '../data/second-factor.ts';
import { deleteEndedSessions } from '../data/session.ts';
import { deleteOldAttempts } from '../data/sign-in-attempt.ts';
import { deleteOldThrottles } from '../data/throttle.ts';
import { daysLater } from '../rules/later.ts';

const REST_MILLISECONDS = 3_600_000;

const PURGES: readonly { keepDays: number; purge: (em: EntityManager, before: Date) => Promise<void> }[] = [
  { keepDays: KEEP_DAYS.session, purge: deleteEndedSessions },
  { keepDays: KEEP_DAYS.attempt, purge: deleteOldAttempts },
  { keepDays: KEEP_DAYS.attempt, purge: deleteOldOffers },
  { keepDays: KEEP_DAYS.attempt, purge: deleteOldRequests },
  { keepDays: KEEP_DAYS.code, purge: deleteOldCodes },
  { keepDays: KEEP_DAYS.deviceLogin, purge: deleteOldDeviceLogins },
  { keepDays: KEEP_DAYS.throttle, purge: deleteOldThrottles },
  { keepDays: KEEP_DAYS.link, purge: deleteOldInvitations },
  { keepDays: KEEP_DAYS.link, purge: deleteOldResets },
  { keepDays: CLIENT_UNUSED_DAYS, purge: deleteUnusedClients },
];

export function purgeExpired({ database }: Pick<SubgraphSurroundings, 'database'>): Job {
  return {
    name: 'purge-expired',
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      const time = now();
      for (const { keepDays, purge } of PURGES) await database.acrossOrganizations((em) => purge(em, daysLater(time, -keepDays)));
      return 'idle';
    },
  };
}
