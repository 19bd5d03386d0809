/** Sign-ins that passed the password and wait for the second factor. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { type Parameters, runFirst, statement } from '../../../../platform/database/statement.ts';
import { tables } from '../../../../platform/database/tables.ts';
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

type SignInAttempt = InferEntity<typeof SignInAttemptTable>;

const db = tables<typeof SignInAttemptTable>();

export interface Guess {
  readonly organizationId: string;
  readonly id: string;
  readonly accountUserId: string;
  /** This one included. */
  readonly guesses: number;
}

const TAKE_GUESS = statement(
  ({ tokenHash, guessesMax, now }: Parameters<{ tokenHash: Buffer; guessesMax: number; now: Date }>) =>
    db
      .updateTable('signInAttempt')
      .set((of) => ({ guesses: of('guesses', '+', 1) }))
      .where('tokenHash', '=', tokenHash)
      .where('consumedAt', 'is', null)
      .where('expiresAt', '>', now)
      .where('guesses', '<', guessesMax)
      .returning(['organizationId', 'id', 'accountUserId', 'guesses']),
);

/** Takes a slot before a code is looked at, so that guesses side by side cannot exceed the limit. `null` when none is left. */
export function takeGuess(em: EntityManager, tokenHash: Buffer, guessesMax: number, now: Date): Promise<Guess | null> {
  return runFirst(em, TAKE_GUESS, { tokenHash, guessesMax, now });
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
  await em.nativeDelete(SignInAttemptTable, { expiresAt: { $lt: before } });
}
