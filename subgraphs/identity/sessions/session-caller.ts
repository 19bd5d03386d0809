/** The session behind a request: some actions are only for people in a browser. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import type { Principal } from '#platform/principal.ts';
import { fail } from '#kernel/errors.ts';

export interface SessionCaller {
  /** The session's own organization, even while it is in sample data. */
  readonly organizationId: OrganizationId;
  readonly accountUserId: AccountUserId;
  readonly sessionId: string;
}

/** Fails with `FORBIDDEN` for any other credential. */
export function sessionCaller({
  kind,
  organizationId,
  sampleOf,
  accountUserId,
  credentialId,
}: Principal): SessionCaller {
  if (kind !== 'session' || organizationId === null || accountUserId === null || credentialId === null) {
    return fail('FORBIDDEN', 'This requires a session: sign in to the dashboard');
  }
  return { organizationId: sampleOf ?? organizationId, accountUserId, sessionId: credentialId };
}
