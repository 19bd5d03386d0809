/** How often something was tried. Subjects are hashed: an address or e-mail is not kept for it. */
import { createHash } from 'node:crypto';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';

export const ThrottleTable = defineEntity({
  name: 'Throttle',
  tableName: 'throttle',
  properties: {
    /** SHA-256 of what is limited. */
    subject: p.blob().primary(),
    count: p.integer(),
    /** Of the first one that counts. */
    since: p.datetime(3),
    lastAt: p.datetime(3),
    blockedUntil: p.datetime(3).nullable(),
  },
});

export type Throttle = InferEntity<typeof ThrottleTable>;

export interface Backoff {
  readonly free: number;
  readonly secondsMax: number;
  readonly forgottenAfterSeconds: number;
}

/**
 * Counts a try before it is made, and says how many seconds to wait when it must not be made now (0: go on).
 * After `free` tries each one more doubles the wait. Of tries side by side each is counted.
 */
export async function takeTry(
  em: EntityManager,
  subject: string,
  { free, secondsMax, forgottenAfterSeconds }: Backoff,
  now: Date,
): Promise<number> {
  const rows = await query(
    em,
    `
    insert into throttle as t (subject, count, since, last_at) values ($1, 1, $2, $2)
    on conflict (subject) do update set
      count = case when t.last_at < $5 then 1 else t.count + 1 end,
      since = case when t.last_at < $5 then $2 else t.since end,
      last_at = $2,
      blocked_until = case when t.last_at >= $5 and t.count + 1 >= $3
        then $2::timestamptz + make_interval(secs => least($4::float8, power(2, least(t.count + 1 - $3, 30)))) end
     where t.blocked_until is null or t.blocked_until <= $2
    returning 1`,
    [hashed(subject), now, free, secondsMax, new Date(now.getTime() - forgottenAfterSeconds * 1000)],
  );
  if (rows.length === 1) return 0;
  const [blocked] = await query<{ seconds: number }>(
    em,
    `
    select greatest(1, ceil(extract(epoch from blocked_until - $2::timestamptz)))::float8 as seconds from throttle where subject = $1`,
    [hashed(subject), now],
  );
  return blocked?.seconds ?? 1;
}

/** A try that went well does not count. */
export async function giveTryBack(em: EntityManager, subject: string): Promise<void> {
  await query(em, 'update throttle set count = greatest(count - 1, 0), blocked_until = null where subject = $1', [
    hashed(subject),
  ]);
}

/** Writes what changes nothing of the count. */
export async function touchTries(em: EntityManager, subject: string, now: Date): Promise<void> {
  await query(em, 'update throttle set last_at = $2 where subject = $1', [hashed(subject), now]);
}

export async function forgetTries(em: EntityManager, subject: string): Promise<void> {
  await em.nativeDelete(ThrottleTable, { subject: hashed(subject) });
}

/** Counts one of at most `max` in a window; seconds to wait when there is none left (0: go on). */
export async function takeTurn(
  em: EntityManager,
  subject: string,
  { max, windowSeconds }: { max: number; windowSeconds: number },
  now: Date,
): Promise<number> {
  const windowBegan = new Date(now.getTime() - windowSeconds * 1000);
  const rows = await query(
    em,
    `
    insert into throttle as t (subject, count, since, last_at) values ($1, 1, $2, $2)
    on conflict (subject) do update set
      count = case when t.since <= $4 then 1 else t.count + 1 end,
      since = case when t.since <= $4 then $2 else t.since end,
      last_at = $2
     where t.since <= $4 or t.count < $3
    returning 1`,
    [hashed(subject), now, max, windowBegan],
  );
  if (rows.length === 1) return 0;
  const [full] = await query<{ seconds: number }>(
    em,
    `
    select greatest(1, ceil(extract(epoch from since - $2::timestamptz)))::float8 as seconds from throttle where subject = $1`,
    [hashed(subject), windowBegan],
  );
  return full?.seconds ?? 1;
}

export async function deleteOldThrottles(em: EntityManager, before: Date): Promise<void> {
  await query(em, 'delete from throttle where last_at < $1', [before]);
}

function hashed(subject: string): Buffer {
  return createHash('sha256').update(subject).digest();
}
