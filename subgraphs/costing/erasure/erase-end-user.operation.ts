/** Erases an end user: every event of it becomes a pseudonym's, in steps of bounded size. The figures stay (decision 28). */
import { endUserId } from '../../../kernel/end-user-id.ts';
import { now } from '../../../platform/clock.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { randomBytes } from '../../../platform/random.ts';
import { actorOf } from '../../../platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { uuidsV7 } from '../../../platform/uuid-v7.ts';
import { fail } from '../../../schema/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { DIMENSIONS_KEPT_MAX, REDUCED_EVENTS_MAX } from '../config.ts';
import type { EndUserErasure } from '../resolvers.generated.ts';
import {
  erasurePage,
  holdErasure,
  insertErasure,
  lockErasures,
  moveErasure,
  subjectHashOf,
} from './end-user-erasure.table.ts';
import { beginReduction, reduceEvents } from './reduce-events.step.ts';

export interface ErasureRequest {
  readonly externalId: string;
  readonly keepDimensions: readonly string[];
  /** Events of this step. */
  readonly limit: number;
}

const EXTERNAL_ID_MAX = 255;

/**
 * Begins, or goes on with the one under way; with a limit of 0 it only begins. An end user without events is erased at once: other
 * subgraphs may know it. What has the same external id later is another end user.
 */
export async function eraseEndUser(context: SubgraphContext, request: ErasureRequest): Promise<EndUserErasure> {
  const organizationId = organizationOf(context);
  checkRequest(request);
  const { externalId, limit } = request;
  const subjectHash = subjectHashOf(organizationId, externalId);
  const id = await context.database.forOrganization(organizationId, async (em) => {
    await lockErasures(em, organizationId);
    const open = await holdErasure(em, organizationId, subjectHash);
    if (open !== null) return open.id;
    const begun = uuidsV7(1)[0]!;
    const at = now();
    await insertErasure(em, organizationId, { id: begun, subjectHash, pseudonym: newPseudonym() }, at);
    await recordAudit(em, {
      organizationId,
      at,
      action: 'end_user.erased',
      ...actorOf(context.principal),
      subjectId: begun,
      detail: subjectHash,
    });
    return begun;
  });
  if (limit > 0) await context.database.acrossOrganizations((em) => eraseSlice(em, organizationId, request));
  const [erasure] = await context.database.forOrganization(organizationId, (em) =>
    erasurePage(em, organizationId, { subjectHash, limit: 1, before: null }),
  );
  return erasure ?? fail('NOT_FOUND', `The erasure ${id} is gone`);
}

function newPseudonym(): string {
  return `erased-${randomBytes(16).toString('hex')}`;
}

async function eraseSlice(
  em: EntityManager,
  organizationId: string,
  { externalId, keepDimensions, limit }: ErasureRequest,
): Promise<void> {
  await beginReduction(em);
  const erasure = await holdErasure(em, organizationId, subjectHashOf(organizationId, externalId));
  if (erasure === null || erasure.pseudonym === null) return;
  const at = now();
  const eventIds = await eventsOf(em, organizationId, externalId, limit);
  const replaces = endUserId(organizationId, externalId);
  await reduceEvents(em, organizationId, eventIds, { keepDimensions, pseudonym: erasure.pseudonym, replaces }, at);
  await moveErasure(em, organizationId, erasure.id, eventIds.length, eventIds.length < limit ? at : null);
}

/** Live ones by their index, then test ones. */
async function eventsOf(
  em: EntityManager,
  organizationId: string,
  externalId: string,
  limit: number,
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    `
    (select id from usage_event where organization_id = $1 and end_user_external_id = $2 and livemode limit $3)
    union all
    (select id from usage_event where organization_id = $1 and end_user_external_id = $2 and not livemode limit $3)
    limit $3`,
    [organizationId, externalId, limit],
  );
  return rows.map(({ id }) => id);
}

function checkRequest({ externalId, keepDimensions, limit }: ErasureRequest): void {
  if (externalId.length < 1 || externalId.length > EXTERNAL_ID_MAX || externalId.includes('\0'))
    fail(
      'VALIDATION_ERROR',
      `externalId must be 1 to ${EXTERNAL_ID_MAX} characters, as in the user_id of usage events`,
    );
  if (limit < 0 || limit > REDUCED_EVENTS_MAX)
    fail('VALIDATION_ERROR', `limit must be from 0 to ${REDUCED_EVENTS_MAX}`);
  if (keepDimensions.length > DIMENSIONS_KEPT_MAX)
    fail('VALIDATION_ERROR', `keepDimensions may name at most ${DIMENSIONS_KEPT_MAX} keys`);
}
