/** The sender of events, derived from the principal only; the same for every event of a request. */
import type { AccountUserId, ApiKeyId, OrganizationId } from '#kernel/ids.ts';
import type { Principal } from '#platform/principal.ts';
import { fail } from '#kernel/errors.ts';

export interface IngestionSource {
  readonly organizationId: OrganizationId;
  readonly accountUserId: AccountUserId;
  /** The API key; null for other kinds of caller. */
  readonly apiKeyId: ApiKeyId | null;
  /** False for events of test keys (contract.md, "API keys"). */
  readonly livemode: boolean;
  readonly receivedAt: Date;
}

/** Fails with `FORBIDDEN` for a caller without organization or account user: only API keys may send events. */
export function ingestionSource(
  { kind, organizationId, accountUserId, credentialId, environment }: Principal,
  receivedAt: Date,
): IngestionSource {
  if (organizationId === null || accountUserId === null) fail('FORBIDDEN', 'Usage events must be sent with an API key');
  const apiKeyId = kind === 'api-key' ? credentialId : null;
  return { organizationId, accountUserId, apiKeyId, livemode: environment !== 'test', receivedAt };
}
