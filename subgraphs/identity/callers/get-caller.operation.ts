/** Describes the caller's credential and what it may do. */
import { enumValue } from '#kernel/enum-value.ts';
import type { Principal } from '#platform/principal.ts';
import { SCOPES } from '#schema/scopes.ts';

export function getCaller(principal: Principal) {
  return {
    ok: true,
    organizationId: principal.organizationId,
    accountUserId: principal.accountUserId,
    environment: principal.environment && enumValue(principal.environment),
    keyName: principal.credentialName,
    scopes: SCOPES.filter((scope) => principal.grants.includes(scope)),
    expiresAt: principal.expiresAt,
  };
}
