/**
 * Exchanges an authorization code for an API key (RFC 6749, section 4.1.3, with PKCE). Only one of several concurrent
 * requests gets it.
 */
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import type { Scope } from '#schema/scopes.ts';
import { CLIENT_KEY_DAYS } from '../config.ts';
import { endApiKey } from '../keys/api-key.table.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import {
  type AuthorizationCode,
  consumeCode,
  findOwnerOfCode,
  keyOfSpentCode,
  recordIssuedKey,
} from './authorization-code.table.ts';
import { holdEnabled } from '../accounts/account-user.table.ts';
import { issueApiKey } from '../keys/issue-api-key.step.ts';
import { hasRoomForKey, NO_ROOM_FOR_KEY } from '../keys/require-room-for-key.step.ts';
import { findClient, touchClient } from './oauth-client.table.ts';
import { isVerifier } from './is-verifier.ts';
import { daysLater } from '#kernel/time/duration.ts';
import type { OauthRefusal } from './oauth-refusal.ts';
import { isOurResource } from './is-our-resource.ts';
import { hashSecretToken, hasSecretTokenFormat } from '../secrets/secret-token.ts';
import { type TokenAnswer, tokenAnswer } from './token-answer.ts';

export interface CodeExchange {
  readonly clientId?: string | null | undefined;
  readonly code?: string | null | undefined;
  readonly redirectUri?: string | null | undefined;
  readonly codeVerifier?: string | null | undefined;
  readonly resource?: string | null | undefined;
}

/**
 * Presenting a code uses it up, whether or not the request succeeds. Presenting it again revokes the key that was
 * issued for it.
 */
export async function exchangeOauthCode(
  context: SubgraphContext,
  { clientId, code, redirectUri, codeVerifier, resource }: CodeExchange,
  resources: readonly string[],
  sealing: Sealing,
): Promise<TokenAnswer | OauthRefusal> {
  if (clientId == null || code == null || codeVerifier == null) {
    return { error: 'invalid_request', errorDescription: 'client_id, code and code_verifier are required' };
  }
  if (resource != null && !isOurResource(resource, resources))
    return { error: 'invalid_target', errorDescription: 'resource must be the address of this service' };
  if (!hasSecretTokenFormat(code)) return INVALID_GRANT;
  return context.database.system(async (tx) => {
    const at = now();
    const client = await findClient(tx, clientId);
    if (!client)
      return {
        error: 'invalid_client',
        errorDescription: 'The client is not registered, or its registration has expired',
      };
    const codeHash = hashSecretToken(code);
    const owner = await findOwnerOfCode(tx, codeHash);
    // Locks the account, then the code, in the same order as a removal; the opposite order would deadlock.
    if (owner !== null) await holdEnabled(tx, owner.organizationId, owner.accountUserId);
    const granted = await consumeCode(tx, codeHash, at);
    if (!granted) return refuseSpentCode(tx, code, at);
    const isTheirs = granted.clientId === client.id && (redirectUri == null || redirectUri === granted.redirectUri);
    if (!isTheirs || !isVerifier(codeVerifier, granted.codeChallenge)) return INVALID_GRANT;
    if (!(await hasRoomForKey(tx, granted.organizationId, at)))
      return { error: 'invalid_grant', errorDescription: NO_ROOM_FOR_KEY };
    const secret = await issueKeyFor(tx, granted, client, at, sealing);
    return tokenAnswer(secret, granted.scopes, CLIENT_KEY_DAYS);
  });
}

const INVALID_GRANT: OauthRefusal = {
  error: 'invalid_grant',
  errorDescription: 'The code is wrong, expired, used, or was issued to another client',
};

async function issueKeyFor(
  tx: WriteTransaction,
  code: AuthorizationCode,
  client: { id: string; name: string },
  at: Date,
  sealing: Sealing,
): Promise<string> {
  const { organizationId, accountUserId, scopes } = code;
  const { secret, apiKey } = await issueApiKey(
    tx,
    {
      organizationId,
      accountUserId,
      createdBy: accountUserId,
      name: client.name,
      description: null,
      environment: 'live',
      scopes: scopes as Scope[],
      createdAt: at,
      expiresAt: daysLater(at, CLIENT_KEY_DAYS),
      client,
    },
    sealing,
  );
  await recordIssuedKey(tx, code, apiKey.id);
  await touchClient(tx, client.id, at);
  await recordAudit(tx, {
    organizationId,
    at,
    action: 'api_key.created',
    actorKind: 'oauth-client',
    accountUserId,
    subjectId: apiKey.id,
    detail: client.name,
  });
  return secret;
}

/** RFC 6749, section 4.1.2: one of the two holders of the code was not entitled to it. */
async function refuseSpentCode(tx: WriteTransaction, code: string, at: Date): Promise<OauthRefusal> {
  const issued = await keyOfSpentCode(tx, hashSecretToken(code));
  if (issued && (await endApiKey(tx, issued.organizationId, issued.apiKeyId, at))) {
    await recordAudit(tx, {
      organizationId: issued.organizationId,
      at,
      action: 'authorization_code.reused',
      actorKind: 'anonymous',
      subjectId: issued.apiKeyId,
    });
  }
  return INVALID_GRANT;
}
