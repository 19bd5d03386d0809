/** Whose credential is this? Asked by the gateway on every request, so a revoked key is refused at once. */
import { createHash } from 'node:crypto';
import { now } from '../../../platform/clock.ts';
import type { Principal } from '../../../platform/principal.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { LAST_USED_SECONDS } from '../config.ts';
import { findActiveKey, recordUse } from '../data/api-key.ts';
import { findOperatorId } from '../data/operator.ts';
import { organizationExists } from '../data/organization.ts';
import { hashApiKey, hasKeyFormat } from '../rules/api-key-format.ts';
import { hasOperatorTokenFormat } from '../rules/operator-token.ts';

export type Identified = Omit<Principal, 'correlationId'>;

/** `null` when the credential opens nothing. A text of the wrong form never reaches the database. */
export async function identifyCaller(context: SubgraphContext, kind: string, token: string, organizationId: string | null): Promise<Identified | null> {
  if (kind !== 'bearer') return null;
  if (hasKeyFormat(token)) return identifyKey(context, token);
  return hasOperatorTokenFormat(token) ? identifyOperator(context, token, organizationId) : null;
}

async function identifyKey(context: SubgraphContext, token: string): Promise<Identified | null> {
  const time = now();
  const key = await context.database.acrossOrganizations((em) =>
    findActiveKey(em, hashApiKey(token), time, new Date(time.getTime() - LAST_USED_SECONDS * 1000)));
  if (!key) return null;
  // Nobody waits for this: a lost minute of "last used" is no loss.
  if (key.is_use_unrecorded) {
    context.database.forOrganization(key.organization_id, (em) => recordUse(em, key.organization_id, key.id, time))
      .catch((error: unknown) => context.log.warn({ err: error }, 'The use of a key could not be recorded'));
  }
  return {
    kind: 'api-key', organizationId: key.organization_id, accountUserId: key.account_user_id, credentialId: key.id, credentialName: key.name,
    environment: key.environment, expiresAt: key.expires_at, grants: key.scopes,
  };
}

async function identifyOperator(context: SubgraphContext, token: string, organizationId: string | null): Promise<Identified | null> {
  return context.database.acrossOrganizations(async (em) => {
    const operatorId = await findOperatorId(em, createHash('sha256').update(token).digest());
    if (operatorId === null) return null;
    const named = organizationId !== null && await organizationExists(em, organizationId) ? organizationId : null;
    return {
      kind: 'operator', organizationId: named, accountUserId: null, credentialId: operatorId, credentialName: 'operator',
      environment: null, expiresAt: null, grants: ['operator'],
    };
  });
}
