/** How often something was tried. Subjects are hashed: an address or e-mail is not kept for it. */
import { createHash } from 'node:crypto';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { type Parameters, run, runFirst, statement } from '../../../platform/database/statement.ts';
import type { Placeholder } from '../../../platform/database/tables.ts';
import { tables } from '../../../platform/database/tables.ts';

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

const db = tables<typeof ThrottleTable>();

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
  const forgottenBefore = new Date(now.getTime() - forgottenAfterSeconds * 1000);
  const key = hashed(subject);
  if ((await runFirst(em, TAKE_TRY, { key, now, free, secondsMax, forgottenBefore })) !== null) return 0;
  return (await runFirst(em, SECONDS_BLOCKED, { key, now }))?.seconds ?? 1;
}

type TryInput = { key: Buffer; now: Date; free: number; secondsMax: number; forgottenBefore: Date };

const TAKE_TRY = statement(
  ({ key, now, free, secondsMax, forgottenBefore }: Parameters<TryInput>) => sql<object>`
    insert into throttle as t (subject, count, since, last_at) values (${key}, 1, ${now}, ${now})
    on conflict (subject) do update set
      count = case when t.last_at < ${forgottenBefore} then 1 else t.count + 1 end,
      since = case when t.last_at < ${forgottenBefore} then ${now} else t.since end,
      last_at = ${now},
      blocked_until = case when t.last_at >= ${forgottenBefore} and t.count + 1 >= ${free}
        then ${now}::timestamptz + make_interval(secs => least(${secondsMax}::float8, power(2, least(t.count + 1 - ${free}, 30)))) end
     where t.blocked_until is null or t.blocked_until <= ${now}
    returning 1`,
);

const secondsFrom = (from: Placeholder<string>, until: string) =>
  sql<number>`greatest(1, ceil(extract(epoch from ${sql.ref(until)} - ${from}::timestamptz)))::float8`.as('seconds');

const SECONDS_BLOCKED = statement(({ key, now }: Parameters<{ key: Buffer; now: Date }>) =>
  db.selectFrom('throttle').select(secondsFrom(now, 'blockedUntil')).where('subject', '=', key),
);

/** A try that went well does not count. */
export async function giveTryBack(em: EntityManager, subject: string): Promise<void> {
  await run(em, GIVE_BACK, { key: hashed(subject) });
}

const GIVE_BACK = statement(({ key }: Parameters<{ key: Buffer }>) =>
  db
    .updateTable('throttle')
    .set({ count: sql<number>`greatest(count - 1, 0)`, blockedUntil: null })
    .where('subject', '=', key),
);

/** Writes what changes nothing of the count. */
export async function touchTries(em: EntityManager, subject: string, now: Date): Promise<void> {
  await em.nativeUpdate(ThrottleTable, { subject: hashed(subject) }, { lastAt: now });
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
  const key = hashed(subject);
  if ((await runFirst(em, TAKE_TURN, { key, now, max, windowBegan })) !== null) return 0;
  return (await runFirst(em, SECONDS_FULL, { key, windowBegan }))?.seconds ?? 1;
}

const TAKE_TURN = statement(
  ({
    key,
    now,
    max,
    windowBegan,
  }: Parameters<{ key: Buffer; now: Date; max: number; windowBegan: Date }>) => sql<object>`
    insert into throttle as t (subject, count, since, last_at) values (${key}, 1, ${now}, ${now})
    on conflict (subject) do update set
      count = case when t.since <= ${windowBegan} then 1 else t.count + 1 end,
      since = case when t.since <= ${windowBegan} then ${now} else t.since end,
      last_at = ${now}
     where t.since <= ${windowBegan} or t.count < ${max}
    returning 1`,
);

const SECONDS_FULL = statement(({ key, windowBegan }: Parameters<{ key: Buffer; windowBegan: Date }>) =>
  db.selectFrom('throttle').select(secondsFrom(windowBegan, 'since')).where('subject', '=', key),
);

export async function deleteOldThrottles(em: EntityManager, before: Date): Promise<void> {
  await em.nativeDelete(ThrottleTable, { lastAt: { $lt: before } });
}

function hashed(subject: string): Buffer {
  return createHash('sha256').update(subject).digest();
}
