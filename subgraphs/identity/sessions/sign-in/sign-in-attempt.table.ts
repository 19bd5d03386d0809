/** Sign-ins that passed the password step and wait for the second factor. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

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
    /** Number of codes tried, right or wrong. */
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
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly accountUserId: AccountUserId;
  /** Includes the present guess. */
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

/**
 * Takes a slot before a code is checked, so that concurrent guesses cannot exceed the limit. Returns `null` if none is
 * left.
 */
export function takeGuess(
  tx: WriteTransaction,
  tokenHash: Buffer,
  guessesMax: number,
  now: Date,
): Promise<Guess | null> {
  return tx.first(TAKE_GUESS, { tokenHash, guessesMax, now });
}

/** Reads an attempt without using up a guess. Returns `null` if the attempt has expired or became a session. */
export function findOpenAttempt(tx: WriteTransaction, tokenHash: Buffer, now: Date): Promise<SignInAttempt | null> {
  return tx.em.findOne(SignInAttemptTable, { tokenHash, consumedAt: null, expiresAt: { $gt: now } });
}

/** An attempt becomes a session once. */
export async function consumeAttempt(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  now: Date,
): Promise<boolean> {
  return (
    (await tx.em.nativeUpdate(SignInAttemptTable, { organizationId, id, consumedAt: null }, { consumedAt: now })) === 1
  );
}

/** Deletes sign-ins that were started with a password that is no longer valid. */
export async function deleteAttemptsOf(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
): Promise<void> {
  await tx.em.nativeDelete(SignInAttemptTable, { organizationId, accountUserId });
}

export async function deleteOldAttempts(tx: WriteTransaction, before: Date): Promise<void> {
  await tx.em.nativeDelete(SignInAttemptTable, { expiresAt: { $lt: before } });
}
