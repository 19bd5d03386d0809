/** Challenges for authenticators to sign: random, valid once, for one purpose, for a few minutes. */
import { defineEntity, p } from '@mikro-orm/core';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { randomBytes } from '#platform/random.ts';
import { later } from '#kernel/time/duration.ts';
import { PASSKEY_CHALLENGE_SECONDS } from '../../config.ts';
import { hashSecretToken, makeSecretToken } from '../../secrets/secret-token.ts';

const PURPOSES = ['add', 'sign-in', 'second-step'] as const;

export const PasskeyChallengeTable = defineEntity({
  name: 'PasskeyChallenge',
  tableName: 'passkey_challenge',
  properties: {
    /** SHA-256 of the challenge, which has 256 random bits. */
    challengeHash: p.blob().primary(),
    purpose: p.enum(PURPOSES),
    /**
     * The session that adds a passkey, or the attempt that needs the second step; null if the account is not known
     * yet.
     */
    subjectId: p.uuid().nullable(),
    expiresAt: p.datetime(3),
    consumedAt: p.datetime(3).nullable(),
  },
});

export interface ChallengeUse {
  readonly purpose: (typeof PURPOSES)[number];
  readonly subjectId: string | null;
}

/** In base64url. */
export async function newChallenge(
  tx: WriteTransaction,
  { purpose, subjectId }: ChallengeUse,
  now: Date,
): Promise<string> {
  const challenge = makeSecretToken(randomBytes(32));
  await tx.em.insert(PasskeyChallengeTable, {
    challengeHash: hashSecretToken(challenge),
    purpose,
    subjectId,
    expiresAt: later(now, PASSKEY_CHALLENGE_SECONDS),
    consumedAt: null,
  });
  return challenge;
}

/** Uses up the challenge, only for its purpose. Only one of several concurrent requests succeeds. */
export async function consumeChallenge(
  tx: WriteTransaction,
  challenge: string,
  { purpose, subjectId }: ChallengeUse,
  now: Date,
): Promise<boolean> {
  return (
    (await tx.em.nativeUpdate(
      PasskeyChallengeTable,
      { challengeHash: hashSecretToken(challenge), purpose, subjectId, consumedAt: null, expiresAt: { $gt: now } },
      { consumedAt: now },
    )) === 1
  );
}

export async function deleteOldChallenges(tx: WriteTransaction, before: Date): Promise<void> {
  await tx.em.nativeDelete(PasskeyChallengeTable, { expiresAt: { $lt: before } });
}
