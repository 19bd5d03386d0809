/** Identifies the caller of a credential. The gateway asks on every request, so a revoked key is refused at once. */
import type { OrganizationId } from '#kernel/ids.ts';
import { createHash } from 'node:crypto';
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { logFailure } from '#platform/outage-log.ts';
import type { Principal } from '#platform/principal.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { QUERY_SCOPES, WRITE_UNSIGNED } from '#schema/scopes.ts';
import { DELETION, SAMPLE } from '#schema/scopes-of-field.ts';
import { LAST_USED_SECONDS, SESSION_IDLE_SECONDS } from '../config.ts';
import { findActiveKey, recordUse } from '../keys/api-key.table.ts';
import { findActiveOperator, recordOperatorUse } from '../operators/operator.table.ts';
import { findOrganizationState, SAMPLE_NAME } from '../accounts/organization.table.ts';
import { findActiveSession, recordSight } from '../sessions/session.table.ts';
import { hashApiKey, hasKeyFormat } from '../keys/api-key-format.ts';
import { earlier } from '#kernel/time/duration.ts';
import { hasOperatorTokenFormat } from '../operators/operator-token.ts';
import { hashSecretToken, hasSecretTokenFormat } from '../secrets/secret-token.ts';

export type Identified = Omit<Principal, 'correlationId'>;

/** Returns `null` if the credential is invalid. Malformed text never reaches the database. */
export async function identifyCaller(
  context: SubgraphContext,
  kind: string,
  token: string,
  organizationId: OrganizationId | null,
): Promise<Identified | null> {
  if (kind === 'session') return hasSecretTokenFormat(token) ? identifySession(context, token) : null;
  if (kind !== 'bearer') return null;
  if (hasKeyFormat(token)) return identifyKey(context, token);
  return hasOperatorTokenFormat(token) ? identifyOperator(context, token, organizationId) : null;
}

async function identifyKey(context: SubgraphContext, token: string): Promise<Identified | null> {
  const time = now();
  const key = await findActiveKey(context.database.lookUps, hashApiKey(token), time, earlier(time, LAST_USED_SECONDS));
  if (!key) return null;
  if (key.isUseUnrecorded) recordLater(context, key, (tx) => recordUse(tx, key.organizationId, key.id, time));
  return {
    kind: 'api-key',
    organizationId: key.organizationId,
    accountUserId: key.accountUserId,
    credentialId: key.id,
    credentialName: key.name,
    environment: key.environment,
    expiresAt: key.expiresAt,
    grants: key.mayWriteUnsigned ? [...key.scopes, WRITE_UNSIGNED] : key.scopes,
  };
}

async function identifySession(context: SubgraphContext, token: string): Promise<Identified | null> {
  const time = now();
  const moments = {
    now: time,
    idleBefore: earlier(time, SESSION_IDLE_SECONDS),
    recordUseBefore: earlier(time, LAST_USED_SECONDS),
  };
  const session = await findActiveSession(context.database.lookUps, hashSecretToken(token), moments);
  if (!session) return null;
  if (session.isUseUnrecorded)
    recordLater(context, session, (tx) => recordSight(tx, session.organizationId, session.id, time));
  const isInSample = session.sampleId !== null && !session.lacksSecondFactor;
  return {
    kind: 'session',
    organizationId: session.organizationId,
    accountUserId: session.accountUserId,
    credentialId: session.id,
    credentialName: session.email,
    organizationName: session.organizationName,
    ...(session.fiscalYearStart > 1 && { fiscalYearStart: session.fiscalYearStart }),
    environment: null,
    expiresAt: session.expiresAt,
    grants: session.lacksSecondFactor ? ['enrollment'] : [session.role, ...QUERY_SCOPES],
    ...(isInSample && inSample(session.sampleId, session.organizationId)),
  };
}

/** In the sample organization, the caller may read like a member, and change nothing. */
function inSample(organizationId: OrganizationId | null, sampleOf: string) {
  return { organizationId, sampleOf, organizationName: SAMPLE_NAME, grants: [SAMPLE, 'member', ...QUERY_SCOPES] };
}

/** Ids of credentials whose use is being recorded. Parallel requests would all write the same row. */
const recording = new Set<string>();

/** Nothing waits for this: losing a minute of "last used" does no harm. */
function recordLater(
  { database, log }: SubgraphContext,
  { id, organizationId }: { readonly id: string; readonly organizationId: OrganizationId | null },
  record: (tx: WriteTransaction) => Promise<void>,
): void {
  if (recording.has(id)) return;
  recording.add(id);
  const recorded = organizationId === null ? database.system(record) : database.write(organizationId, record);
  recorded
    .catch((error: unknown) => logFailure(log, 'The use of a credential could not be recorded', error))
    .finally(() => recording.delete(id));
}

async function identifyOperator(
  context: SubgraphContext,
  token: string,
  organizationId: OrganizationId | null,
): Promise<Identified | null> {
  return context.database.system(async (tx) => {
    const time = now();
    const operator = await findActiveOperator(
      tx,
      createHash('sha256').update(token).digest(),
      earlier(time, LAST_USED_SECONDS),
    );
    if (operator === null) return null;
    if (operator.isUseUnrecorded) {
      const credential = { id: operator.id, organizationId: null };
      recordLater(context, credential, (later) => recordOperatorUse(later, operator.id, time));
    }
    const state = organizationId === null ? null : await findOrganizationState(tx, organizationId);
    return {
      kind: 'operator',
      organizationId: state === null ? null : organizationId,
      ...(state?.sampleOf != null && { sampleOf: state.sampleOf }),
      accountUserId: null,
      credentialId: operator.id,
      credentialName: operator.name,
      environment: null,
      expiresAt: null,
      // Nothing can be created in a deleted organization.
      grants: [state?.isDeleted ? DELETION : 'operator'],
    };
  });
}
