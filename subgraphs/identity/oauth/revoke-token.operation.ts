/** Revokes an API key for whoever presents it (RFC 7009; decision 9, D55). */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { endApiKeyWithHash } from '../keys/api-key.table.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { hashApiKey, hasKeyFormat } from '../keys/api-key-format.ts';

/** Returns true for any token: an unknown or revoked token counts as revoked. */
export async function revokeToken(context: SubgraphContext, token: string): Promise<true> {
  if (!hasKeyFormat(token)) return true;
  return context.database.system(async (tx) => {
    const at = now();
    const key = await endApiKeyWithHash(tx, hashApiKey(token), at);
    if (key) {
      const { organizationId, id, accountUserId, name } = key;
      await recordAudit(tx, {
        organizationId,
        at,
        action: 'api_key.revoked',
        actorKind: 'api-key',
        accountUserId,
        credentialId: id,
        subjectId: id,
        detail: name,
      });
    }
    return true as const;
  });
}
