/** A new API key and the row that is kept of it. */
import { randomBytes, randomUuid } from '../../../platform/random.ts';
import type { Scope } from '../../../schema/scopes.ts';
import type { ApiKey } from '../data/api-key.ts';
import { hashApiKey, makeApiKey } from './api-key-format.ts';
import { seal } from './seal.ts';

export interface ApiKeyWish {
  readonly organizationId: string;
  readonly accountUserId: string;
  readonly name: string;
  readonly description: string | null;
  readonly environment: 'live' | 'test';
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/** `secret` leaves once; of a live key nothing else is ever able to give it back. */
export function draftApiKey(wish: ApiKeyWish, sealingKey: Buffer, now: Date): { secret: string; row: ApiKey } {
  const id = randomUuid();
  const secret = makeApiKey(wish.environment);
  const sealed = wish.environment === 'test' ? seal(secret, sealingKey, randomBytes(12), id) : null;
  const row = { ...wish, id, hash: hashApiKey(secret), sealed, scopes: [...wish.scopes], createdAt: now, revokedAt: null, lastUsedAt: null };
  return { secret, row: row as unknown as ApiKey };
}
