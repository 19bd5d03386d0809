/** Replaces an active key: the new one is issued and the old one revoked in one transaction (decision 9, D53, D54). */
import type { ApiKeyId } from '#kernel/ids.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import { fail } from '#kernel/errors.ts';
import type { Scope } from '#schema/scopes.ts';
import { findApiKey, retireActiveKey } from './api-key.table.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { issueApiKey } from './issue-api-key.step.ts';
import { isUuid } from '#kernel/uuid.ts';
import { requireRecentSignIn } from '../sessions/require-step-up.step.ts';
import { sessionCaller } from '../sessions/session-caller.ts';
import { type ApiKeyView, toApiKeyView } from './api-key-view.ts';
import { keyOwnerFilter } from './key-owner-filter.ts';

const SUFFIX = ' (Rotated)';
const WARNING = 'Store this key now: it is not shown again. The old key no longer works.';

/**
 * Only one of several concurrent rotations succeeds. Fails with `NOT_FOUND` for a key of another organization, or of
 * someone else.
 */
export async function rotateApiKey(
  context: SubgraphContext,
  id: string,
  sealing: Sealing,
): Promise<{ apiKey: string; keyInfo: ApiKeyView & { apiKeyId: ApiKeyId }; warning: string }> {
  const { organizationId, accountUserId } = sessionCaller(context.principal);
  const owner = keyOwnerFilter(context.principal);
  if (!isUuid(id)) return notFound();
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    await requireRecentSignIn(tx, context, 'rotating a key');
    const old = await retireActiveKey(tx, organizationId, id, owner, at);
    if (!old)
      return (await findApiKey(tx, organizationId, id, owner))
        ? fail('VALIDATION_ERROR', 'The key is revoked or expired: create a new one')
        : notFound();
    const lifetime = old.expiresAt == null ? null : old.expiresAt.getTime() - old.createdAt.getTime();
    const { secret, apiKey } = await issueApiKey(
      tx,
      {
        organizationId,
        accountUserId: old.accountUserId,
        createdBy: accountUserId,
        name: `${old.name}${SUFFIX}`,
        description: old.description ?? null,
        environment: old.environment,
        scopes: old.scopes as Scope[],
        mayWriteUnsigned: old.mayWriteUnsigned,
        createdAt: at,
        expiresAt: lifetime === null ? null : new Date(at.getTime() + lifetime),
      },
      sealing,
    );
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'api_key.rotated',
      ...actorOf(context.principal),
      subjectId: id,
      detail: old.name,
    });
    return { apiKey: secret, keyInfo: { ...toApiKeyView(apiKey), apiKeyId: apiKey.id }, warning: WARNING };
  });
}

function notFound(): never {
  return fail('NOT_FOUND', 'There is no such API key');
}
