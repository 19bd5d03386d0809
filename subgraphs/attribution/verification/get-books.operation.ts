/** Whether the books are right, as far as they were verified. */
import { fail } from '../../../schema/errors.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { type BookDifference, listDifferences } from './book-difference.table.ts';
import { findBookState } from './book-state.table.ts';

export interface Books {
  readonly state: 'CLEAN' | 'DIFFERING' | 'UNVERIFIED';
  readonly verifiedAt: Date | null;
  readonly roundAt: Date | null;
  readonly differingSince: Date | null;
  readonly differences: DifferenceView[];
}

type DifferenceView = Omit<BookDifference, 'since'> & { readonly since: Date };

const DIFFERENCES_MAX = 1_000;

/** Of the caller's organization. */
export function getBooks(context: SubgraphContext): Promise<Books> {
  const organizationId = organizationOf(context);
  return context.database.forOrganization(organizationId, async (em) => {
    const state = await findBookState(em, organizationId);
    const differences = (await listDifferences(em, organizationId, DIFFERENCES_MAX)).map(toView);
    const toDate = (iso: string | null | undefined) => (iso ? new Date(iso) : null);
    return {
      state: differences.length > 0 ? 'DIFFERING' : state === null ? 'UNVERIFIED' : 'CLEAN',
      verifiedAt: toDate(state?.verifiedAt),
      roundAt: toDate(state?.roundAt),
      differingSince: differences[0]?.since ?? null,
      differences,
    };
  });
}

/** Of the organization that the operator names, else of all; the oldest first. */
export async function listBookDifferences(
  { database, principal }: SubgraphContext,
  limit: number,
): Promise<DifferenceView[]> {
  if (limit < 1 || limit > DIFFERENCES_MAX) fail('VALIDATION_ERROR', `limit must be 1 to ${DIFFERENCES_MAX}`);
  const found = await database.acrossOrganizations((em) => listDifferences(em, principal.organizationId, limit));
  return found.map(toView);
}

function toView(difference: BookDifference): DifferenceView {
  return { ...difference, since: new Date(difference.since) };
}
