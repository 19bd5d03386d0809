/** Sign-ins that passed the password and wait for the second factor. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { query } from '../../../../platform/database/sql.ts';
import { tenantTable } from '../../../../platform/database/tenant-table.ts';

export const SignInAttemptTable = defineEntity({
  name: 'SignInAttempt',
  tableName: 'sign_in_attempt',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    accountUserId: p.uuid(),
    /** SHA-256 of the token, which has 256 random bits. */
    tokenHash: p.blob(),
    /** Codes tried, right or wrong. */
    guesses: p.integer(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    consumedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'sign_in_attempt_token_hash_unique', properties: ['tokenHash'] }],
});

export type SignInAttempt = InferEntity<typeof SignInAttemptTable>;

export interface Guess {
  readonly organizationId: string;
  readonly id: string;
  readonly accountUserId: string;
  /** This one included. */
  readonly guesses: number;
}

/** Takes a slot before a code is looked at, so that guesses side by side cannot exceed the limit. `null` when none is left. */
export async function takeGuess(
  em: EntityManager,
  tokenHash: Buffer,
  guessesMax: number,
  now: Date,
): Promise<Guess | null> {
  const [guess] = await query<Guess>(
    em,
    `
    update sign_in_attempt set guesses = guesses + 1
     where token_hash = $1 and consumed_at is null and expires_at > $3 and guesses < $2
    returning organization_id, id, account_user_id, guesses`,
    [tokenHash, guessesMax, now],
  );
  return guess ?? null;
}

/** Takes no slot. `null` when it is void, or became a session. */
export function findOpenAttempt(em: EntityManager, tokenHash: Buffer, now: Date): Promise<SignInAttempt | null> {
  return em.findOne(SignInAttemptTable, { tokenHash, consumedAt: null, expiresAt: { $gt: now } });
}

/** An attempt becomes one session, once. */
export async function consumeAttempt(
  em: EntityManager,
  organizationId: string,
  id: string,
  now: Date,
): Promise<boolean> {
  return (
    (await em.nativeUpdate(SignInAttemptTable, { organizationId, id, consumedAt: null }, { consumedAt: now })) === 1
  );
}

/** Whatever a password began that no longer counts. */
export async function deleteAttemptsOf(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
): Promise<void> {
  await em.nativeDelete(SignInAttemptTable, { organizationId, accountUserId });
}

export async function deleteOldAttempts(em: EntityManager, before: Date): Promise<void> {
  await query(em, 'delete from sign_in_attempt where expires_at < $1', [before]);
}
