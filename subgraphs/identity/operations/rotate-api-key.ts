/** Replaces an active key: the new one is issued and the old one revoked in one transaction (decisions.md D53, D54). */
import { actorOf } from '../../../platform/audit-record.ts';
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import type { Sealing } from '../../../platform/seal.ts';
import { fail } from '../../../schema/errors.ts';
import type { Scope } from '../../../schema/scopes.ts';
import { findApiKey, retireActiveKey } from '../data/api-key.ts';
import { recordAct } from '../data/audit-record.ts';
import { issueApiKey } from '../data/issue-api-key.ts';
import { isUuid } from '../rules/is-uuid.ts';
import { sessionCaller } from '../rules/session-caller.ts';
import { type ShownApiKey, showApiKey } from '../rules/show-api-key.ts';
import { whoseKeys } from '../rules/whose-keys.ts';

const SUFFIX = ' (Rotated)';
const WARNING = 'Store this key now: it is not shown again. The old key no longer works.';

/** Of several rotations at once one wins. A key of another organization, or one that is not theirs, is `NOT_FOUND`. */
export async function rotateApiKey(context: SubgraphContext, id: string, sealing: Sealing): Promise<{ apiKey: string; keyInfo: ShownApiKey; warning: string }> {
  const { organizationId, accountUserId } = sessionCaller(context.principal);
  const owner = whoseKeys(context.principal);
  if (!isUuid(id)) return notFound();
  return context.database.forOrganization(organizationId, async (em) => {
    const at = now();
    const old = await retireActiveKey(em, organizationId, id, owner, at);
    if (!old) return await findApiKey(em, organizationId, id, owner) ? fail('VALIDATION_ERROR', 'The key is revoked or expired: create a new one') : notFound();
    const lifetime = old.expiresAt == null ? null : old.expiresAt.getTime() - old.createdAt.getTime();
    const { secret, apiKey } = await issueApiKey(em, {
      organizationId, accountUserId: old.accountUserId, createdBy: accountUserId, name: `${old.name}${SUFFIX}`, description: old.description ?? null,
      environment: old.environment, scopes: old.scopes as Scope[], createdAt: at, expiresAt: lifetime === null ? null : new Date(at.getTime() + lifetime),
    }, sealing);
    await recordAct(em, { organizationId, at, act: 'api_key.rotated', ...actorOf(context.principal), subjectId: id, detail: old.name });
    return { apiKey: secret, keyInfo: showApiKey(apiKey), warning: WARNING };
  });
}

function notFound(): never {
  return fail('NOT_FOUND', 'There is no such API key');
}
