/** Every session begins here, with a token that nobody had before. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { randomBytes, randomUuid } from '../../../platform/random.ts';
import { SESSION_SECONDS } from '../config.ts';
import { later } from '../../../kernel/time/later.ts';
import { hashSecretToken, makeSecretToken } from '../secrets/secret-token.ts';
import { recordAct } from '../audit-log/audit-record.table.ts';
import { SessionTable } from './session.table.ts';

export interface SessionWish {
  readonly organizationId: string;
  readonly accountUserId: string;
  readonly address: string;
  readonly userAgent: string;
}

const TEXT_LENGTH_MAX = 512;

/** `token` leaves once. */
export async function startSession(em: EntityManager, { organizationId, accountUserId, address, userAgent }: SessionWish, now: Date): Promise<{ token: string; expiresAt: Date }> {
  const id = randomUuid();
  const token = makeSecretToken(randomBytes(32));
  const expiresAt = later(now, SESSION_SECONDS);
  await em.insert(SessionTable, {
    organizationId, id, accountUserId, tokenHash: hashSecretToken(token), signedInAt: now, lastSeenAt: now, expiresAt, endedAt: null,
    address: storable(address), userAgent: storable(userAgent),
  });
  await recordAct(em, { organizationId, at: now, act: 'session.started', actorKind: 'session', accountUserId, credentialId: id, subjectId: id, detail: storable(address) });
  return { token, expiresAt };
}

/** PostgreSQL takes no NUL and no half of a character. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '').slice(0, TEXT_LENGTH_MAX);
}
