/** Approves or denies an OAuth client's request. Approval creates a code, valid for a minute and one use. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import { randomBytes } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { AUTHORIZATION_CODE_SECONDS } from '../config.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { AuthorizationCodeTable } from './authorization-code.table.ts';
import { decideRequest } from './authorization-request.table.ts';
import { isUuid } from '#kernel/uuid.ts';
import { later } from '#kernel/time/duration.ts';
import { withParameters } from './redirect-uri.ts';
import { hashSecretToken, makeSecretToken } from '../secrets/secret-token.ts';
import { requireRoomForKey } from '../keys/require-room-for-key.step.ts';
import { requireRecentSignIn } from '../sessions/require-step-up.step.ts';
import { sessionCaller } from '../sessions/session-caller.ts';

/**
 * Only the session that received the request may decide, once; otherwise fails with `NOT_FOUND`. Returns where to send
 * the browser.
 */
export async function decideAuthorization(
  context: SubgraphContext,
  id: string,
  decision: 'approved' | 'denied',
): Promise<{ redirectTo: string }> {
  const { organizationId, accountUserId, sessionId } = sessionCaller(context.principal);
  if (!isUuid(id)) return notFound();
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    if (decision === 'approved') {
      await requireRecentSignIn(tx, context, 'connecting an application');
      await requireRoomForKey(tx, organizationId, at);
    }
    const request = await decideRequest(tx, organizationId, sessionId, id, at);
    if (!request) return notFound();
    const { clientId, clientName, redirectUri, codeChallenge, scopes, resource, state = null } = request;
    await recordAudit(tx, {
      organizationId,
      at,
      action: `authorization.${decision}`,
      ...actorOf(context.principal),
      subjectId: id,
      detail: clientName,
    });
    if (decision === 'denied')
      return {
        redirectTo: withParameters(redirectUri, {
          error: 'access_denied',
          error_description: 'The request was denied',
          state,
        }),
      };
    const code = makeSecretToken(randomBytes(32));
    await tx.em.insert(AuthorizationCodeTable, {
      organizationId,
      hash: hashSecretToken(code),
      accountUserId,
      clientId,
      redirectUri,
      codeChallenge,
      scopes,
      resource: resource ?? null,
      createdAt: at,
      expiresAt: later(at, AUTHORIZATION_CODE_SECONDS),
      consumedAt: null,
      apiKeyId: null,
    });
    return { redirectTo: withParameters(redirectUri, { code, state }) };
  });
}

function notFound(): never {
  return fail('NOT_FOUND', 'This request was already decided, has expired, or belongs to another session');
}
