/** Deletes expired rows that are no longer needed. */
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { Job } from '#platform/job-loop.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { CLIENT_UNUSED_DAYS, KEEP_DAYS } from '../config.ts';
import { deleteOldCodes } from '../oauth/authorization-code.table.ts';
import { deleteOldRequests } from '../oauth/authorization-request.table.ts';
import { deleteOldDeviceLogins } from '../oauth/devices/device-login.table.ts';
import { deleteUnusedClients } from '../oauth/oauth-client.table.ts';
import { deleteOldChallenges } from '../sessions/passkeys/passkey-challenge.table.ts';
import { deleteOldOffers } from '../sessions/second-factors/second-factor.table.ts';
import { deleteEndedSessions } from '../sessions/session.table.ts';
import { deleteOldAttempts } from '../sessions/sign-in/sign-in-attempt.table.ts';
import { deleteOldThrottles } from '../throttling/throttle.table.ts';
import { daysLater, HOUR_MS } from '#kernel/time/duration.ts';
import { deleteOldInvitations } from '../accounts/invitations/invitation.table.ts';
import { deleteOldResets } from '../accounts/members/password-reset.table.ts';

const REST_MILLISECONDS = HOUR_MS;

const PURGES: readonly { keepDays: number; purge: (tx: WriteTransaction, before: Date) => Promise<void> }[] = [
  { keepDays: KEEP_DAYS.session, purge: deleteEndedSessions },
  { keepDays: KEEP_DAYS.attempt, purge: deleteOldAttempts },
  { keepDays: KEEP_DAYS.attempt, purge: deleteOldOffers },
  { keepDays: KEEP_DAYS.challenge, purge: deleteOldChallenges },
  { keepDays: KEEP_DAYS.attempt, purge: deleteOldRequests },
  { keepDays: KEEP_DAYS.code, purge: deleteOldCodes },
  { keepDays: KEEP_DAYS.deviceLogin, purge: deleteOldDeviceLogins },
  { keepDays: KEEP_DAYS.throttle, purge: deleteOldThrottles },
  { keepDays: KEEP_DAYS.link, purge: deleteOldInvitations },
  { keepDays: KEEP_DAYS.link, purge: deleteOldResets },
  { keepDays: CLIENT_UNUSED_DAYS, purge: deleteUnusedClients },
];

export function purgeExpired({ database }: Pick<SubgraphDependencies, 'database'>): Job {
  return {
    name: 'purge-expired',
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      const time = now();
      for (const { keepDays, purge } of PURGES) await database.system((tx) => purge(tx, daysLater(time, -keepDays)));
      return 'idle';
    },
  };
}
