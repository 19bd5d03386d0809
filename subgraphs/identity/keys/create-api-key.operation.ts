/** Creates an API key; only this response contains its secret. */
import type { AccountUserId } from '#kernel/ids.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { parseRfc3339 } from '#kernel/time/instant.ts';
import { findAccountUser, findOwner } from '../accounts/account-user.table.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { issueApiKey } from './issue-api-key.step.ts';
import { checkName } from '../accounts/check-account.ts';
import { chosenScopes } from './chosen-scopes.ts';
import { isUuid } from '#kernel/uuid.ts';
import { type ApiKeyView, toApiKeyView } from './api-key-view.ts';
import { keyOwnerFilter } from './key-owner-filter.ts';
import { requireRoomForKey } from './require-room-for-key.step.ts';
import { requireRecentSignIn } from '../sessions/require-step-up.step.ts';

export interface ApiKeyInput {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly environment: string;
  readonly preset?: string | null | undefined;
  readonly scopes?: readonly string[] | null | undefined;
  readonly accountUserId?: AccountUserId | null | undefined;
  readonly expiresAt?: string | null | undefined;
}

/**
 * Members create keys only for themselves; owners, admins and operators for any account user of the organization. A
 * live key requires a session's sign-in within the last ten minutes.
 */
export async function createApiKey(
  context: SubgraphContext,
  input: ApiKeyInput,
  sealing: Sealing,
): Promise<{ secret: string; apiKey: ApiKeyView }> {
  const organizationId = organizationOf(context);
  const { principal } = context;
  const createdAt = now();
  const params = {
    organizationId,
    name: checkName('name', input.name),
    description: input.description == null ? null : checkName('description', input.description),
    environment: checkEnvironment(input.environment),
    scopes: chosenScopes(input.preset, input.scopes),
    createdAt,
    expiresAt: input.expiresAt == null ? null : checkExpiry(input.expiresAt, createdAt),
  };
  return context.database.write(organizationId, async (tx) => {
    const named = input.accountUserId ?? principal.accountUserId;
    const isAllowed = named === null || (isUuid(named) && [null, named].includes(keyOwnerFilter(principal)));
    const accountUser = !isAllowed
      ? null
      : named === null
        ? await findOwner(tx, organizationId)
        : await findAccountUser(tx, organizationId, named);
    if (!accountUser) return fail('NOT_FOUND', 'There is no such account user');
    if (params.environment === 'live' && principal.kind === 'session')
      await requireRecentSignIn(tx, context, 'creating a live key');
    await requireRoomForKey(tx, organizationId, createdAt);
    const { secret, apiKey } = await issueApiKey(
      tx,
      { ...params, accountUserId: accountUser.id, createdBy: principal.accountUserId ?? accountUser.id },
      sealing,
    );
    await recordAudit(tx, {
      organizationId,
      at: createdAt,
      action: 'api_key.created',
      ...actorOf(principal),
      subjectId: apiKey.id,
      detail: params.name,
    });
    return { secret, apiKey: toApiKeyView(apiKey) };
  });
}

function checkEnvironment(input: string): 'live' | 'test' {
  return input === 'live' || input === 'test' ? input : fail('VALIDATION_ERROR', 'environment must be live or test');
}

function checkExpiry(input: string, time: Date): Date {
  const instant = parseRfc3339(input) ?? fail('VALIDATION_ERROR', 'expires_at must be an RFC 3339 date-time');
  const expiresAt = new Date(instant.epochMs);
  return expiresAt > time ? expiresAt : fail('VALIDATION_ERROR', 'expires_at must be in the future');
}
