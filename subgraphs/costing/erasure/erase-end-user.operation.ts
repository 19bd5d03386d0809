/**
 * Erases an end user in steps requested by the caller: all its events are assigned to a pseudonym. Figures do not
 * change (decision 28).
 */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { REDUCED_EVENTS_MAX } from '../config.ts';
import type { EndUserErasure } from '../resolvers.generated.ts';
import { erasurePage, subjectHashOf } from './end-user-erasure.table.ts';
import { beginErasure, checkErasure, eraseSlice } from './erase-end-user.step.ts';

export interface ErasureRequest {
  readonly externalId: string;
  readonly keepDimensions: readonly string[];
  /** Maximum number of events in this step. */
  readonly limit: number;
}

/**
 * Begins an erasure, or continues the one in progress; with a limit of 0 it only begins. An end user without events is
 * erased at once and recorded, since other subgraphs may have data about it. Later events with the same external id
 * belong to a new end user.
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
  const erasureId = await database.write(organizationId, (tx) => beginErasure(tx, context, externalId));
  if (limit > 0) await database.system((tx) => eraseSlice(tx, organizationId, { erasureId, keepDimensions }, limit));
  const subjectHash = subjectHashOf(organizationId, externalId);
  const [erasure] = await database.write(organizationId, (tx) =>
    erasurePage(tx, organizationId, { subjectHash, limit: 1, before: null }),
  );
  return erasure ?? fail('NOT_FOUND', `The erasure ${erasureId} no longer exists`);
}
