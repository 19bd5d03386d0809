/** Makes an API key; its secret leaves here and nowhere else. */
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { parseRfc3339 } from '../../../schema/instant.ts';
import { findAccountUser, findOwner } from '../data/account-user.ts';
import { type ApiKey, ApiKeyTable } from '../data/api-key.ts';
import { checkName } from '../rules/check-account.ts';
import { chosenScopes } from '../rules/chosen-scopes.ts';
import { draftApiKey } from '../rules/draft-api-key.ts';

export interface ApiKeyInput {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly environment: string;
  readonly preset?: string | null | undefined;
  readonly scopes?: readonly string[] | null | undefined;
  readonly accountUserId?: string | null | undefined;
  readonly expiresAt?: string | null | undefined;
}

export async function createApiKey(context: SubgraphContext, input: ApiKeyInput, sealingKey: Buffer): Promise<{ secret: string; apiKey: ApiKey }> {
  const organizationId = organizationOf(context);
  const wish = {
    organizationId,
    name: checkName('name', input.name),
    description: input.description == null ? null : checkName('description', input.description),
    environment: checkEnvironment(input.environment),
    scopes: chosenScopes(input.preset, input.scopes),
    expiresAt: input.expiresAt == null ? null : checkExpiry(input.expiresAt),
  };
  return context.database.forOrganization(organizationId, async (em) => {
    const named = input.accountUserId ?? context.principal.accountUserId;
    const accountUser = named === null ? await findOwner(em, organizationId) : await findAccountUser(em, organizationId, named);
    if (!accountUser) fail('NOT_FOUND', 'There is no such account user');
    const { secret, row } = draftApiKey({ ...wish, accountUserId: accountUser.id }, sealingKey, now());
    await em.insert(ApiKeyTable, row);
    return { secret, apiKey: row };
  });
}

function checkEnvironment(given: string): 'live' | 'test' {
  return given === 'live' || given === 'test' ? given : fail('VALIDATION_ERROR', 'environment must be live or test');
}

function checkExpiry(given: string): Date {
  const instant = parseRfc3339(given) ?? fail('VALIDATION_ERROR', 'expires_at must be an RFC 3339 date-time');
  const expiresAt = new Date(instant.epochMs);
  return expiresAt > now() ? expiresAt : fail('VALIDATION_ERROR', 'expires_at must be in the future');
}
