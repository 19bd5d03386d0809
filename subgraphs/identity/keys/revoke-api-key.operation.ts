/** Revokes a key at once. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { endApiKey, findApiKey, organizationOfKey } from './api-key.table.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { isUuid } from '#kernel/uuid.ts';
import { type ApiKeyView, toApiKeyView } from './api-key-view.ts';
import { keyOwnerFilter } from './key-owner-filter.ts';

/** An operator needs only the key's id. Others revoke keys of their own organization, members only their own keys. */
export async function revokeApiKey(context: SubgraphContext, id: string): Promise<ApiKeyView> {
  const { kind, organizationId: own } = context.principal;
  if (!isUuid(id)) return notFound();
  const organizationId =
    kind === 'operator' && own === null
      ? ((await context.database.system((tx) => organizationOfKey(tx, id))) ?? notFound())
      : organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const key = (await findApiKey(tx, organizationId, id, keyOwnerFilter(context.principal))) ?? notFound();
    if (!(await endApiKey(tx, organizationId, id, at))) return toApiKeyView(key);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'api_key.revoked',
      ...actorOf(context.principal),
      subjectId: id,
      detail: key.name,
    });
    return toApiKeyView({ ...key, revokedAt: at });
  });
}

function notFound(): never {
  return fail('NOT_FOUND', 'There is no such API key');
}
