/** Erases an end user in steps that the caller asks for: every event of it becomes a pseudonym's. The figures stay (decision 28). */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { REDUCED_EVENTS_MAX } from '../config.ts';
import type { EndUserErasure } from '../resolvers.generated.ts';
import { erasurePage, subjectHashOf } from './end-user-erasure.table.ts';
import { beginErasure, checkErasure, eraseSlice } from './erase-end-user.step.ts';

export interface ErasureRequest {
  readonly externalId: string;
  readonly keepDimensions: readonly string[];
  /** Events of this step. */
  readonly limit: number;
}

/**
 * Begins, or goes on with the one under way; with a limit of 0 it only begins. An end user without events is erased at once: other
 * subgraphs may know it. What has the same external id later is another end user.
 */
export async function eraseEndUser(
  context: SubgraphContext,
  { externalId, keepDimensions, limit }: ErasureRequest,
): Promise<EndUserErasure> {
  const organizationId = organizationOf(context);
  const { database } = context;
  checkErasure(externalId, keepDimensions);
  if (limit < 0 || limit > REDUCED_EVENTS_MAX)
    fail('VALIDATION_ERROR', `limit must be from 0 to ${REDUCED_EVENTS_MAX}`);
  const erasureId = await database.forOrganization(organizationId, (em) => beginErasure(em, context, externalId));
  if (limit > 0)
    await database.acrossOrganizations((em) => eraseSlice(em, organizationId, { erasureId, keepDimensions }, limit));
  const subjectHash = subjectHashOf(organizationId, externalId);
  const [erasure] = await database.forOrganization(organizationId, (em) =>
    erasurePage(em, organizationId, { subjectHash, limit: 1, before: null }),
  );
  return erasure ?? fail('NOT_FOUND', `The erasure ${erasureId} is gone`);
}
