/**
 * Sets whether a key may send usage in unsigned bodies: telemetry gateways and exporters cannot sign them (decision
 * 41).
 */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { requireRecentSignIn } from '../sessions/require-step-up.step.ts';
import { isUuid } from '#kernel/uuid.ts';
import { findApiKey, setWriteUnsigned } from './api-key.table.ts';
import { type ApiKeyView, toApiKeyView } from './api-key-view.ts';
import { keyOwnerFilter } from './key-owner-filter.ts';

/** A session needs a sign-in within the last ten minutes to allow it. Takes effect from the key's next request on. */
export async function setUnsignedWrites(context: SubgraphContext, id: string, allowed: boolean): Promise<ApiKeyView> {
  const organizationId = organizationOf(context);
  const { principal } = context;
  return context.database.write(organizationId, async (tx) => {
    const key = isUuid(id) ? await findApiKey(tx, organizationId, id, keyOwnerFilter(principal)) : null;
    if (!key) return fail('NOT_FOUND', 'There is no such API key');
    if (allowed && principal.kind === 'session') await requireRecentSignIn(tx, context, 'allowing unsigned writes');
    if (allowed && !key.scopes.includes('usage:write'))
      fail('VALIDATION_ERROR', 'Only a key with usage:write can be allowed to write unsigned');
    if (key.mayWriteUnsigned === allowed && key.revokedAt == null) return toApiKeyView(key);
    if (!(await setWriteUnsigned(tx, organizationId, id, allowed)))
      fail('VALIDATION_ERROR', 'The key is revoked: create a new one');
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: allowed ? 'api_key.unsigned_allowed' : 'api_key.unsigned_forbidden',
      ...actorOf(principal),
      subjectId: id,
      detail: key.name,
    });
    return toApiKeyView({ ...key, mayWriteUnsigned: allowed });
  });
}
