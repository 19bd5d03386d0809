/** Attempt counters. Subjects are hashed, so addresses and e-mail addresses are not stored. */
import { createHash } from 'node:crypto';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { Placeholder } from '#platform/database/tables.ts';
import { tables } from '#platform/database/tables.ts';

export const ThrottleTable = defineEntity({
  name: 'Throttle',
  tableName: 'throttle',
  properties: {
    /** SHA-256 of the limited subject. */
    subject: p.blob().primary(),
    count: p.integer(),
    /** Time of the first attempt that counts. */
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
 * Counts an attempt before it is made, and returns the seconds to wait if it must not be made now (0: proceed). After
 * `free` attempts, each further one doubles the wait. Concurrent attempts are all counted.
 */
export async function takeTry(
  tx: WriteTransaction,
  subject: string,
  { free, secondsMax, forgottenAfterSeconds }: Backoff,
  now: Date,
): Promise<number> {
  const forgottenBefore = new Date(now.getTime() - forgottenAfterSeconds * 1000);
  const key = hashed(subject);
  if ((await tx.first(TAKE_TRY, { key, now, free, secondsMax, forgottenBefore })) !== null) return 0;
  return (await tx.first(SECONDS_BLOCKED, { key, now }))?.seconds ?? 1;
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

/** Takes back the count of a successful attempt. */
export async function giveTryBack(tx: WriteTransaction, subject: string): Promise<void> {
  await tx.run(GIVE_BACK, { key: hashed(subject) });
}

const GIVE_BACK = statement(({ key }: Parameters<{ key: Buffer }>) =>
  db
    .updateTable('throttle')
    .set({ count: sql<number>`greatest(count - 1, 0)`, blockedUntil: null })
    .where('subject', '=', key),
);

/** Writes a row without changing the count. */
export async function touchTries(tx: WriteTransaction, subject: string, now: Date): Promise<void> {
  await tx.em.nativeUpdate(ThrottleTable, { subject: hashed(subject) }, { lastAt: now });
}

export async function forgetTries(tx: WriteTransaction, subject: string): Promise<void> {
  await tx.em.nativeDelete(ThrottleTable, { subject: hashed(subject) });
}

/** Counts one of at most `max` attempts per window. Returns the seconds to wait if none is left (0: proceed). */
export async function takeTurn(
  tx: WriteTransaction,
  subject: string,
  { max, windowSeconds }: { max: number; windowSeconds: number },
  now: Date,
): Promise<number> {
  const windowBegan = new Date(now.getTime() - windowSeconds * 1000);
  const key = hashed(subject);
  if ((await tx.first(TAKE_TURN, { key, now, max, windowBegan })) !== null) return 0;
  return (await tx.first(SECONDS_FULL, { key, windowBegan }))?.seconds ?? 1;
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

export async function deleteOldThrottles(tx: WriteTransaction, before: Date): Promise<void> {
  await tx.em.nativeDelete(ThrottleTable, { lastAt: { $lt: before } });
}

function hashed(subject: string): Buffer {
  return createHash('sha256').update(subject).digest();
}
